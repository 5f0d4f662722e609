/**
 * The world failed us.
 * transient: nothing happened, try again. permanent: nothing happened and never will.
 * ambiguous: it may have happened; look before acting.
 */
export type FaultKind = 'transient' | 'permanent' | 'ambiguous';

export class Fault extends Error {
  override readonly name = 'Fault';
  readonly kind: FaultKind;
  /** The counterparty that failed, as an operator knows it: `chain:1`, `venue`, `signer`. */
  readonly at: string;

  constructor(kind: FaultKind, at: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.at = at;
  }
}

/** Nobody was asked, so that nothing can have happened. */
export class Unasked extends Fault {}

/** Nothing was done at this try; of an earlier one whose answer was lost it says nothing. */
export const isNo = (error: unknown): boolean =>
  error instanceof Unasked || (error instanceof Fault && error.kind === 'permanent');

/** It was waited for until the deadline, and nothing came. */
export class NoAnswer extends Fault {}

/** It answers, and with more than we are ready to read: asking the same again would bring the same. */
export class ReplyTooLarge extends Fault {}

/** Two nodes of one chain do not say the same; it waits until they do, and a person is told by whoever asked them. */
export class NodesDisagree extends Fault {
  constructor(at: string, about: string, first: string, second: string) {
    super('transient', at, `two nodes disagree about ${about}: one says ${first}, the other ${second}`);
  }
}

/** Nothing is wrong: the payment waits for a second person, who signs `text`. */
export class AwaitsApproval extends Fault {
  readonly text: string;

  constructor(text: string) {
    super('permanent', 'signer', `a second yes is needed: ${text}`);
    this.text = text;
  }
}
