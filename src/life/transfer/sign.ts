import { type Atoms, atoms as atomsOf } from '../../kernel/amount.ts';
import { isBoundPurpose } from '../../kernel/binding.ts';
import { AwaitsApproval, Fault, isNo } from '../../kernel/fault.ts';
import { chainOf, type TxHash } from '../../kernel/ids.ts';
import type { TransferRequest } from '../../signer/request.ts';
import {
  type Chain,
  coinOf,
  type Delegated,
  type Refused,
  type SignedTransfer,
  type Terms,
} from '../../world/chains/chain.ts';
import type { Order } from '../order/order.ts';
import { isGasOver, kindOf, type Payment } from '../payment/payment.ts';
import { deadlineOf, refusedByDeal } from './dead-deals.ts';
import { openingRefused } from './fee-opening.ts';
import { gasThere } from './gas.ts';
import { refusedByScreening } from './screened.ts';
import type { TransferStage } from './stage.ts';
import { accountName, asTransfer, bindingIntent, type Wanted } from './wanted.ts';

/** The bytes that a new signature takes the place of: outbid, or proven dead. */
export type Before = { readonly replacing: SignedTransfer } | Dying | undefined;

interface Dying {
  readonly dead: SignedTransfer;
  /** None of those before them live, and nobody was shown that they paid. */
  readonly isAlone: boolean;
}

const outbidIn = (before: Before): SignedTransfer | undefined =>
  before && 'replacing' in before ? before.replacing : undefined;
const deadIn = (before: Before): SignedTransfer | undefined => (before && 'dead' in before ? before.dead : undefined);

/** One transfer of a payment that is to be signed. */
export interface Signing {
  readonly payment: Payment;
  readonly wanted: Wanted;
  readonly before: Before;
  readonly order: Order | undefined;
}

/** Asks the chain for terms and the signer for bytes. The same intent always has the same nonce. */
export async function signTransfer(
  stage: TransferStage,
  signing: Signing,
): Promise<SignedTransfer | Refused | 'short'> {
  const { payment, wanted, before } = signing;
  const on = stage.chain(chainOf(wanted.amount.asset));
  const terms = await termsOf(stage, on, signing);
  if ('refused' in terms) return refusedOrSigned(stage, on, signing, terms);
  if (wanted.isDelegated && !terms.delegated) return undelegated(stage, on, signing);
  const missing = await missingGas(stage, on, signing, terms.cost);
  if (missing !== undefined && !before && isGasOver(payment)) return 'short';
  if (missing !== undefined) throw new Fault('transient', `chain:${on.facts.id}`, missing);
  return askSigner(stage, signing, await requestFor(stage, on, signing, terms));
}

/** Why it is not paid any more, or what its chain takes for it. */
async function termsOf(stage: TransferStage, on: Chain, signing: Signing): Promise<Terms | Refused> {
  const { payment, wanted, before, order } = signing;
  // What is under way may be mined whatever is thought of its deal now: a higher fee changes nothing about that.
  const byDeal = outbidIn(before) ? undefined : await refusedByDeal(stage, payment, order);
  const refused = byDeal ?? (await refusedByScreening(stage, wanted, order));
  const until = await deadlineOf(stage, payment, order);
  const asked = { ...asTransfer(wanted), ...(until === undefined ? {} : { until }) };
  const terms = refused ?? (await on.terms(asked, outbidIn(before), deadIn(before)));
  const isFirst = !before && wanted.kind === kindOf(payment.purpose);
  const closed = isFirst ? await openingRefused(stage, on, payment, order, terms) : undefined;
  return closed ?? terms;
}

/** Who is refused now may have been paid before: what was signed is paid whatever is thought of it now. */
async function refusedOrSigned(
  stage: TransferStage,
  on: Chain,
  { wanted, before }: Signing,
  refused: Refused,
): Promise<SignedTransfer | Refused> {
  if (!before) return (await returnNoncesUnlessSigned(stage, wanted)) ?? refused;
  if ('dead' in before && before.isAlone) {
    const newest = await newestWhereTheyExpire(stage, on, wanted);
    if (newest && newest.bytes.txHash !== before.dead.txHash) return newest.bytes;
    // One node may say both that they are dead and that nobody can be paid.
    if (newest && !newest.isOver) throw notOver(wanted.intent, before.dead.txHash, 'Its money goes back');
    if (newest) return refused;
  }
  // Of what was only lent nothing is lost: what the chain will not take back is back.
  if (wanted.kind === 'reclaim') return refused;
  return lost(on, wanted, (outbidIn(before) ?? deadIn(before))?.txHash, refused.refused);
}

/**
 * What the signer made last of an intent whose bytes expire: each before it was proven dead, or there would be no other. Where a nonce
 * or an output was used by another transaction, that one may be of this very intent, and the newest bytes say nothing about it.
 */
const newestWhereTheyExpire = async ({ signer }: TransferStage, { facts }: Chain, { intent }: Wanted) =>
  facts.stuck.remedy === 'sign_anew' ? signer.signedTransfer(intent) : undefined;

/** The nonces that it needs are its own from here on. */
async function requestFor(stage: TransferStage, on: Chain, signing: Signing, terms: Terms): Promise<TransferRequest> {
  const { payment, wanted, before, order } = signing;
  const { intent, kind, from, to, toDeposit, binding } = wanted;
  const { asset, atoms } = wanted.amount;
  const delegated = terms.delegated && (await boundWith(stage, on, wanted, terms.delegated, outbidIn(before)));
  const nonce = await nonceFor(stage, on, wanted, terms);
  const dead = deadIn(before);
  return {
    ...{ intent, kind, owner: payment.owner, chainId: on.facts.id, from, asset, atoms, to },
    ...(delegated === undefined ? {} : { delegated }),
    ...(toDeposit === undefined ? {} : { toDeposit }),
    ...(binding === undefined ? {} : { binding }),
    ...papersOf(stage, payment, wanted, order),
    ...(nonce === undefined ? {} : { nonce }),
    ...(dead === undefined ? {} : { afterDead: dead.txHash }),
    fee: terms.fee,
  };
}

async function askSigner(
  stage: TransferStage,
  { wanted, before }: Signing,
  request: TransferRequest,
): Promise<SignedTransfer | Refused> {
  try {
    const signed = await signedOrAsked(stage, request);
    // To the signer their time is not over yet: it goes by its own clock, or a node that is behind gave the terms.
    if (signed.txHash === request.afterDead) throw notOver(wanted.intent, signed.txHash, 'It is signed anew');
    return signed;
  } catch (error) {
    // What is not lent is sent as coins.
    if (wanted.kind === 'lend' && error instanceof Fault && error.kind === 'permanent')
      return { refused: error.message };
    if (!before && isNo(error)) await returnNoncesIfPossible(stage, wanted);
    throw error;
  }
}

const notOver = (intent: string, hash: string, next: string): Fault =>
  new Fault(
    'transient',
    'signer',
    `${intent} waits: by the node's word ${hash} can no longer be mined, but by the signer's clock its time is not over. ${next} by itself then, ` +
      'an hour and a quarter after it was signed at the latest; if not, compare the clocks of signer and node',
  );

/**
 * What the signer is shown of an order: what it was made for, and what it is paid in all. More was credited than was asked for, or
 * the rate rose: then that counts on the limits of our own word.
 */
function papersOf({ bindAmount }: TransferStage, payment: Payment, { kind, amount }: Wanted, order: Order | undefined) {
  if (!order || !isBoundPurpose(kind)) return {};
  const { asset } = amount;
  const others = order.payments.filter(
    (one) => one.id !== payment.id && kindOf(one.purpose) === kind && one.amount.asset === asset,
  );
  const most = atomsOf(others.reduce((sum, one) => sum + one.amount.atoms, amount.atoms as bigint));
  return { charter: order.charter, raised: { most, binding: bindAmount(order.id, kind, asset, most) } };
}

/** Few payments need a second yes: it is looked up when the signer asks for it. */
async function signedOrAsked({ signer, books }: TransferStage, request: TransferRequest): Promise<SignedTransfer> {
  try {
    return await signer.signTransfer(request);
  } catch (error) {
    const approval = error instanceof AwaitsApproval ? await books.approval(request.intent) : undefined;
    if (approval === undefined) throw error;
    return signer.signTransfer({ ...request, approval });
  }
}

/**
 * The signer's answer to an earlier try may have been lost: what it signed then is given. Only where there are no bytes the money is the
 * order's again, and the nonces may serve the next payment.
 */
async function returnNoncesUnlessSigned(
  { signer, books }: TransferStage,
  { intent }: Wanted,
): Promise<SignedTransfer | undefined> {
  const signed = (await signer.signedTransfer(intent))?.bytes;
  if (!signed) for (const one of [intent, bindingIntent(intent)]) await books.returnNonce(one);
  return signed;
}

/** While nobody can say whether there are bytes the nonces stay with it; what it was refused for is heard all the same. */
async function returnNoncesIfPossible(stage: TransferStage, wanted: Wanted): Promise<void> {
  try {
    await returnNoncesUnlessSigned(stage, wanted);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
  }
}

/** What the signer made in place of these bytes may not be in our books: only a person can say that nothing lives. */
function lost(on: Chain, { to }: Wanted, before: TxHash | undefined, reason: string): never {
  throw new Fault(
    'permanent',
    `chain:${on.facts.id}`,
    `${before} needs a successor, and ${to} is refused now: ${reason}`,
  );
}

/** It is priced anew. A nonce of the hot account goes back, or all that comes after it would wait; bytes that were signed with it are paid. */
async function undelegated(
  stage: TransferStage,
  on: Chain,
  { wanted, before }: Signing,
): Promise<SignedTransfer | 'short'> {
  if (!before) return (await returnNoncesUnlessSigned(stage, wanted)) ?? 'short';
  throw new Fault('transient', `chain:${on.facts.id}`, `${wanted.to} cannot collect ${wanted.intent} by itself now`);
}

/**
 * The nonce of the deposit account by which it is bound is handed out like those of its own transfers, and is of use only when it is
 * the next one: a binding out of its turn is passed over by the chain.
 */
async function boundWith(
  { books }: TransferStage,
  on: Chain,
  wanted: Wanted,
  { authorize: next }: Delegated,
  replacing: SignedTransfer | undefined,
): Promise<Delegated> {
  if (next === undefined) return {};
  if (replacing) return { authorize: next };
  const account = accountName({ ...wanted, isDelegated: false });
  const authorize = await books.takeNonce(bindingIntent(wanted.intent), on.facts.id, account, next);
  if (authorize === next) return { authorize };
  const why = `${account} is bound with nonce ${authorize} when it is its turn; the next one is ${next}`;
  throw new Fault('transient', `chain:${on.facts.id}`, why);
}

async function nonceFor(
  { books }: TransferStage,
  on: Chain,
  wanted: Wanted,
  terms: Terms,
): Promise<number | undefined> {
  if (terms.nonce === undefined) return undefined;
  const account = accountName(wanted);
  const nonce = await books.takeNonce(wanted.intent, on.facts.id, account, terms.nonce);
  // The node lacks payments of ours that come before this one: a reorganisation or a full pool took them out. What it says against
  // them is for their own watchers to hear.
  for (const missing of await books.between(on.facts.id, account, terms.nonce, nonce)) {
    if (missing.isRefused) throw signedTooLate(on, missing, account);
    await on.broadcast(missing);
  }
  return nonce;
}

/**
 * Whoever asked for these bytes stood still before the signer heard of it, and somebody else refused their payment meanwhile. Sent, they
 * would pay what was given back; unsent, whatever comes after them waits: a person must know of both.
 */
const signedTooLate = (on: Chain, { intent, txHash }: SignedTransfer, account: string): Fault =>
  new Fault(
    'transient',
    `chain:${on.facts.id}`,
    `${txHash} was signed for ${intent} after that was refused, and is not sent: payments of ${account} wait for its nonce`,
  );

/** Bytes that their account cannot pay for would never be taken, and no others could be signed: what is missing, in words. */
async function missingGas(
  { books }: TransferStage,
  on: Chain,
  { payment: { id, owner }, wanted, order }: Signing,
  cost: Atoms,
): Promise<string | undefined> {
  const { intent, from, amount, isDelegated } = wanted;
  if (from === 'hot' || isDelegated || on.facts.feePayer === 'hot') return undefined;
  const coin = coinOf(on.facts).id;
  const others = order?.payments.filter((one) => one.id !== id) ?? [];
  const there = await gasThere(books, on, { owner, from, others }, amount.asset === coin ? amount.atoms : 0n);
  return there < cost ? `${intent} needs ${cost} of ${coin} for gas, its account has ${there}` : undefined;
}
