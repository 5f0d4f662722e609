import { Fault } from '../../../kernel/fault.ts';
import type { Address } from '../../../kernel/ids.ts';
import { fieldsOf, type Reply, readingOf } from '../../outbound/reading.ts';
import { TRON_ID, tronAddressOfHex } from './codec.ts';

export type { Reply } from '../../outbound/reading.ts';

/** Reading what a Tron node answers: fields are checked where they are used, and no amount is ever rounded. */

export const AT_TRON = `chain:${TRON_ID}`;

export const tronFault = (message: string): Fault => new Fault('transient', AT_TRON, message);

const reading = readingOf(AT_TRON, 'transient');
const fields = fieldsOf(reading);
export const { record, text } = fields;

/** Nodes answer `{}` for what they do not have. */
export const isEmpty = (reply: Reply): boolean => Object.keys(reply).length === 0;

/** Zeros are left out by the nodes. A number too long for JSON to carry exactly is refused. */
export const whole = (reply: Reply, field: string): number => reading.whole(reply[field] ?? 0, field);

export const sun = (reply: Reply, field: string): bigint => BigInt(whole(reply, field));

/** Empty lists are left out by the nodes. */
export const records = (reply: Reply, field: string): readonly Reply[] => fields.records(reply[field] ?? []);

export const address = (reply: Reply, field: string): Address =>
  tronAddressOfHex(text(reply, field)) ?? reading.malformed(field, reply[field]);
