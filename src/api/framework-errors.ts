import type { FastifyError, FastifySchemaValidationError } from 'fastify';
import { Fault } from '../kernel/fault.ts';
import { inField, together } from '../kernel/field-refusals.ts';
import { type Refusal, type RefusalKind, refuse, unavailable } from '../kernel/refusal.ts';
import { unreadable, wrongField } from '../kernel/unreadable.ts';
import { NO_AMOUNT } from './swap-request.ts';

/** What is wrong with a request before any endpoint saw it; undefined where the fault is ours. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Fault) return unavailable('answer', 'This is not possible right now; try again later.');
  const { code, statusCode, validation } = error as Partial<FastifyError>;
  const [first, ...others] = (validation ?? []).map(refusalOfShape);
  if (first) return together([first, ...others]);
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') return refuse('not_found', 'Order not found');
  const isTheirs = statusCode !== undefined && statusCode >= 400 && statusCode < 500;
  return isTheirs ? unreadable(code) : undefined;
}

/** Fields whose trouble has a name of its own. */
const NAMED: Readonly<Record<string, RefusalKind>> = {
  fromAmount: 'invalid_amount',
  toAmount: 'invalid_amount',
  refundAddress: 'refund_address_required',
};
/** Texts that are too long or too short to be what they are meant to be. */
const NO_SUCH: Readonly<Record<string, Readonly<Record<string, RefusalKind>>>> = {
  minLength: { toAddress: 'invalid_address', payoutAddress: 'invalid_address' },
  maxLength: {
    ...{ toAddress: 'invalid_address', payoutAddress: 'invalid_address', refundAddress: 'invalid_address' },
    cursor: 'invalid_cursor',
  },
};
const FEES = new Set(['fee', 'integratorFeePercent']);

function refusalOfShape(wrong: FastifySchemaValidationError): Refusal {
  const { field, sentence } = wrongField(wrong);
  if (field === '') return refuse('invalid_request', sentence);
  const kind = kindOf(field, wrong.keyword);
  return inField(field, kind === NO_AMOUNT.refusal ? NO_AMOUNT : refuse(kind, sentence));
}

function kindOf(field: string, keyword: string): RefusalKind {
  if (FEES.has(field) && keyword === 'maximum') return 'fee_too_high';
  const kind = NO_SUCH[keyword]?.[field] ?? NAMED[field] ?? 'invalid_request';
  return kind === 'invalid_amount' && keyword === 'required' ? 'invalid_request' : kind;
}
