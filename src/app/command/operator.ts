import { randomBytes } from 'node:crypto';
import { sha256Hex } from '../../kernel/secret.ts';
import type { Config } from '../config.ts';
import { partAt, withPart } from '../pointer.ts';
import { changeDesk, writePrivately } from '../role-files.ts';
import { settingsFolder } from '../settings.ts';
import { Misuse, type Work } from './command.ts';
import { PERSON } from './options.ts';

type Person = NonNullable<Config['operator']['people']>[number];

const TOKEN_BYTES = 24;
const NAME = /^[a-z0-9][a-z0-9._-]{0,31}$/;
const PEOPLE = '/operator/people';
/** As many as the settings hold. */
const MOST_TOKENS = 4;
const RESTART = 'Restart the api for it to take effect.';

/** Changes who is there, in the file that a person edits and in what is made of it. */
const changePeople = (folder: string, change: (people: readonly Person[]) => readonly Person[]): void =>
  changeDesk(folder, (desk) => {
    const people = (partAt(desk, PEOPLE) as readonly Person[] | undefined) ?? [];
    return withPart(desk, PEOPLE, change(people));
  });

/** A new token changes nothing of what its owner may do: whoever may only look would act by it, or the other way round. */
function withToken(name: string, hash: string, asReader: boolean, before: Person | undefined): Person {
  if (!before) return { name, tokenHashes: [hash], ...(asReader ? { readOnly: true } : {}) };
  if (asReader && !before.readOnly)
    throw new Misuse(`${name} may act: for a reader of that name, "wherry operator retire --name ${name} --all" first`);
  if (before.tokenHashes.length >= MOST_TOKENS)
    throw new Misuse(`${name} has ${MOST_TOKENS} tokens: "wherry operator retire --name ${name}" ends the older ones`);
  return { ...before, tokenHashes: [hash, ...before.tokenHashes] };
}

export const newOperator: Work = async ({ needed, text, has }) => {
  const name = needed('name');
  if (!NAME.test(name)) throw new Misuse(`--name cannot be "${name}": ${PERSON.says}`);
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  let readOnly = false;
  changePeople(settingsFolder(text('dir')), (people) => {
    const before = people.find((one) => one.name === name);
    const person = withToken(name, sha256Hex(token), has('read-only'), before);
    readOnly = person.readOnly ?? false;
    return before ? people.map((one) => (one === before ? person : one)) : [...people, person];
  });
  const to = text('token-to');
  if (to !== undefined) writePrivately(to, `${token}\n`);
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
