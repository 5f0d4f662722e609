import { randomBytes } from 'node:crypto';
import { sha256Hex } from '../../kernel/secret.ts';
import type { Config } from '../config.ts';
import { partAt, withPart } from '../pointer.ts';
import { deskFile, writePrivately, writeRoleFiles } from '../role-files.ts';
import { readJson, settingsFolder } from '../settings.ts';
import { Misuse, type Work } from './command.ts';
import { PERSON } from './options.ts';

type Person = NonNullable<Config['operator']['people']>[number];

const TOKEN_BYTES = 24;
const NAME = /^[a-z0-9][a-z0-9._-]{0,31}$/;
const RESTART = 'Restart the api for it to take effect.';

/** Changes who is there, in the file that a person edits and in what is made of it. */
function changePeople(folder: string, change: (people: readonly Person[]) => readonly Person[]): void {
  const path = deskFile(folder);
  const desk = readJson(path);
  const people = change((partAt(desk, '/operator/people') as readonly Person[] | undefined) ?? []);
  writePrivately(path, `${JSON.stringify(withPart(desk, '/operator/people', people), null, 2)}\n`);
  writeRoleFiles(folder);
}

export const newOperator: Work = async ({ needed, text, has }) => {
  const name = needed('name');
  if (!NAME.test(name)) throw new Misuse(`--name cannot be "${name}": ${PERSON.says}`);
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  changePeople(settingsFolder(text('dir')), (people) => {
    const before = people.find((one) => one.name === name);
    const person: Person = {
      ...{ name, tokenHashes: [sha256Hex(token), ...(before?.tokenHashes ?? [])] },
      ...(has('read-only') ? { readOnly: true } : {}),
    };
    return before ? people.map((one) => (one === before ? person : one)) : [...people, person];
  });
  const to = text('token-to');
  if (to !== undefined) writePrivately(to, `${token}\n`);
  const readOnly = has('read-only');
  return {
    json: { name, readOnly, ...(to === undefined ? { token } : { tokenFile: to }) },
    lines: [to === undefined ? token : `The token of ${name} is in ${to}.`, RESTART],
  };
};

export const retireOperator: Work = async ({ needed, text, has }) => {
  const name = needed('name');
  let left = 0;
  changePeople(settingsFolder(text('dir')), (people) => {
    const before = people.find((one) => one.name === name);
    if (!before) throw new Error(`there is no operator ${name}`);
    const others = people.filter((one) => one !== before);
    if (has('all')) return others;
    left = 1;
    return people.map((one) => (one === before ? { ...one, tokenHashes: one.tokenHashes.slice(0, 1) } : one));
  });
  return {
    json: { name, tokens: left },
    lines: [left === 0 ? `${name} is gone.` : `${name} has one token.`, RESTART],
  };
};
