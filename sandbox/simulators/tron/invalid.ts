/** The one reason that passes. */
export const BUSY = 'SERVER_BUSY';

/** Why a node does not take a transaction, by the name that it gives the error. */
export class Invalid extends Error {
  override readonly name = 'Invalid';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
