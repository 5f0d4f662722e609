import { AwaitsApproval, Fault, type FaultKind } from '../kernel/fault.ts';
import type { Address, ChainId, TxHash } from '../kernel/ids.ts';
import type { SignedFor, SignedTransfer } from '../world/chains/chain.ts';
import { type Outbound, type OutboundReply, socketOutbound } from '../world/outbound/http.ts';
import { journalPage, signedBefore, signedTrade } from './journal-wire.ts';
import type { JournalPage, JournalRequest, Signer } from './request.ts';
import { either, Malformed, oneOf, record, type Shape, text } from './shape.ts';
import {
  addresses,
  type Balance,
  balance,
  publicKeys,
  type SplitRequest,
  signedAction,
  signedFor,
  signedTransfer,
  toWire,
} from './wire.ts';

/** What the signer's wallets do beside paying, by family. */
export interface SignerClient extends Signer {
  /** Deposit addresses first … first+count-1, which the spending wallet knows from now on. */
  depositAddresses(family: string, first: number, count: number): Promise<readonly Address[]>;
  balance(family: string): Promise<Balance>;
  /** What a transaction was signed for, as the signer's journal says; undefined if it never was. */
  signedFor(chainId: ChainId, txHash: TxHash): Promise<SignedFor | undefined>;
  /** What was signed after a line of the journal that the asker knows. */
  journal(known: JournalRequest): Promise<JournalPage>;
  /** A split of our own outputs that still has to be sent; undefined while there are enough. */
  split(request: SplitRequest): Promise<SignedTransfer | undefined>;
}

/** The signer said no, and will say no again. */
export class SignerRefusal extends Fault {
  readonly refused: string;

  constructor(refused: string, detail: string) {
    super('permanent', AT, `${refused}: ${detail}`);
    this.refused = refused;
  }
}

const AT = 'signer';
/** Some payments are built by a wallet that may be catching up with its chain. */
const SIGN_DEADLINE_MS = 60_000;

/** Asking again is always safe: what was signed once is answered with the same bytes. */
export function openSigner(outbound: Outbound): SignerClient {
  async function ask<T>(path: string, shape: Shape<T>, input?: unknown): Promise<T> {
    const reply = await outbound({
      at: AT,
      label: path,
      url: `http://signer${path}`,
      method: input === undefined ? 'GET' : 'POST',
      ...(input === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: toWire(input) }),
      deadlineMs: SIGN_DEADLINE_MS,
    });
    return readReply(path, reply, shape);
  }
  return {
    publicKeys: () => ask('/public', publicKeys),
    signTransfer: (request) => ask('/transfer', signedTransfer, request),
    signTrade: (request) => ask('/trade', signedAction, request),
    signMove: (request) => ask('/move', signedAction, request),
    async depositAddresses(family, first, count) {
      return (await ask('/addresses', addresses, { family, first, count })).deposits;
    },
    balance: (family) => ask('/balance', balance, { family }),
    async signedFor(chainId, txHash) {
      const answer = await ask('/signed-for', either(signedFor, nothing), { chainId, txHash });
      return 'asset' in answer ? answer : undefined;
    },
    async signedTransfer(intent) {
      const answer = await ask('/signed-transfer', either(signedBefore, nothing), { intent });
      return 'bytes' in answer ? answer : undefined;
    },
    async signedTrade(clientId) {
      const answer = await ask('/signed-trade', either(signedTrade, nothing), { clientId });
      return 'answer' in answer ? answer : undefined;
    },
    journal: ({ seq, hash, saved = [] }) => ask('/journal', journalPage, { seq, hash, saved }),
    async split(request) {
      const answer = await ask('/split', either(signedTransfer, nothing), request);
      return 'raw' in answer ? answer : undefined;
    },
  };
}

const nothing = record<Record<never, never>>({});

const refusal = record<{ readonly refused: string; readonly detail: string }>({
  refused: text(/^[a-z_]{1,64}$/),
  detail: text(/^/),
});

const fault = record<{ readonly fault: FaultKind; readonly at: string; readonly message: string }>({
  fault: oneOf('transient', 'permanent', 'ambiguous'),
  at: text(/^/),
  message: text(/^/),
});

function readReply<T>(path: string, { status, body }: OutboundReply, shape: Shape<T>): T {
  const value = parseJson(body);
  if (status === 200) {
    const answer = shape(value);
    if (!(answer instanceof Malformed)) return answer;
  }
  const refused = refusal(value);
  if (status === 422 && !(refused instanceof Malformed)) throw refusalOf(refused);
  const failed = fault(value);
  if (status === 503 && !(failed instanceof Malformed)) throw new Fault(failed.fault, failed.at, failed.message);
  const isOurs = status >= 400 && status < 500;
  throw new Fault(isOurs ? 'permanent' : 'ambiguous', AT, `${path}: HTTP ${status} ${body.slice(0, 200)}`);
}

const refusalOf = ({ refused, detail }: { readonly refused: string; readonly detail: string }): Fault =>
  refused === 'approval_awaited' ? new AwaitsApproval(detail) : new SignerRefusal(refused, detail);

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Where the signer went away under a call, asking again costs nothing and loses nothing. */
const WENT_AWAY = new Set(['ECONNRESET', 'EPIPE']);

export function unixOutbound(socketPath: string): Outbound {
  const outbound = socketOutbound(socketPath);
  return async (call) => {
    try {
      return await outbound(call);
    } catch (error) {
      const { cause, message } = error as Fault;
      const hasGone = WENT_AWAY.has((cause as NodeJS.ErrnoException | undefined)?.code ?? '');
      throw hasGone ? new Fault('transient', call.at, message, cause) : error;
    }
  };
}
