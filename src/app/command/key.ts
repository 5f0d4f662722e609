import { randomBytes } from 'node:crypto';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { partAt, withPart } from '../pointer.ts';
import { binderOf } from '../process-keys.ts';
import { changeDesk, deskFile, fileOf } from '../role-files.ts';
import { readJson, roleFile, settingsFolder } from '../settings.ts';
import { Misuse, type Work } from './command.ts';

const HASH = '/keys/hash';
const OLD = '/keys/oldHashes';
/** As many as the settings hold: each is one more try for every proof. */
const MOST_OLD = 4;
const RESTART = 'Restart every api for it to take effect.';

type Kept = readonly { readonly file: string }[];

const keptIn = (desk: unknown): Kept => (partAt(desk, OLD) as Kept | undefined) ?? [];

const save = (folder: string, old: Kept): void =>
  changeDesk(folder, (desk) => withPart(desk, OLD, old.length > 0 ? old : undefined));

/** The private half is shown once, here: whoever runs it puts it where it belongs. */
export const newKey: Work = async () => {
  const privateKey = randomBytes(32).toString('hex');
  const { publicKey } = binderOf(privateKey);
  return {
    json: { privateKey, publicKey },
    lines: [
      `private, for keys.api, keys.engine or an approver's own file: ${privateKey}`,
      `public, for signer.binders or signer.approval.approvers:      ${publicKey}`,
    ],
  };
};

export const rotateKey: Work = async ({ text }) => {
  const folder = settingsFolder(text('dir'));
  const old = keptIn(readJson(deskFile(folder)));
  if (old.length >= MOST_OLD) throw new Misuse(`${MOST_OLD} old keys hold already: wherry key retire ends them`);
  const from = join(roleFile(folder, 'api'), '..', fileOf(HASH));
  const name = `${fileOf(HASH)}-before-${old.length + 1}`;
  // Moved away, it is made anew; the settings name it before anybody needs it again.
  renameSync(from, join(folder, name));
  save(folder, [{ file: name }, ...old]);
  return { json: { oldKeys: old.length + 1 }, lines: ['There is a new key; the old one still proves.', RESTART] };
};

export const retireKey: Work = async ({ text }) => {
  const folder = settingsFolder(text('dir'));
  const old = keptIn(readJson(deskFile(folder)));
  save(folder, []);
  for (const { file } of old) rmSync(join(folder, file), { force: true });
  const ended = old.length;
  return { json: { ended }, lines: [`${ended} old ${ended === 1 ? 'key' : 'keys'} ended.`, RESTART] };
};
