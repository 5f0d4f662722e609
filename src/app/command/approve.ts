import { readApprovalText } from '../../kernel/binding.ts';
import { readPrivately } from '../config.ts';
import { binderOf } from '../process-keys.ts';
import { Misuse, type Work } from './command.ts';

export const approve: Work = async ({ needed }) => {
  const [path, payment] = [needed('key'), needed('payment')];
  const about = readApprovalText(payment);
  if (!about) throw new Misuse('--payment is the text of the case approval_awaited, word for word');
  const key = readPrivately(path).trim();
  if (!/^[0-9a-f]{64}$/.test(key)) throw new Misuse(`${path} holds no private key: 64 hexadecimal digits`);
  const approval = binderOf(key).sign(payment);
  const { intent, kind, asset, atoms, to, inPlaceOf } = about;
  const again = inPlaceOf === undefined ? '' : `, in place of ${inPlaceOf}, which must be in no block`;
  return {
    json: { approval, ...about, atoms: String(atoms) },
    lines: [`yes to ${intent}: ${atoms} atoms of ${asset} to ${to} as ${kind}${again}`, approval],
  };
};
