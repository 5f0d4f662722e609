import { createCipheriv, createDecipheriv, pbkdf2Sync, scrypt } from 'node:crypto';
import { link, open, readFile, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { entropyToMnemonic, mnemonicToEntropy, validateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { Fault } from '../kernel/fault.ts';
import { Secret } from '../kernel/secret.ts';

/** Where fresh random bytes come from; the caller brings them. */
export type Entropy = (bytes: number) => Uint8Array;

const AT = 'signer:seed';
const VERSION = 1;
/** 24 words. */
const ENTROPY_BYTES = 32;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** 128 MB and about half a second a guess. The file states it, so that it can be raised without breaking old files. */
const LOG_COST = 17;
/** A file that asks for more would only exhaust our memory. */
const MAX_LOG_COST = 20;
const HEX = /^(?:[0-9a-f]{2})+$/;

interface SeedFile {
  readonly version: typeof VERSION;
  readonly kdf: 'scrypt';
  readonly logCost: number;
  readonly salt: string;
  readonly cipher: 'aes-256-gcm';
  readonly nonce: string;
  /** The BIP-39 entropy under the passphrase, with the authentication tag at its end. */
  readonly sealed: string;
}

/** Writes a new seed file, never over an old one, and returns its 24 words for the operator's backup. */
export async function createSeedFile(
  path: string,
  passphrase: Secret,
  entropy: Entropy,
  words: Secret = new Secret(entropyToMnemonic(entropy(ENTROPY_BYTES), wordlist)),
): Promise<Secret> {
  if (!validateMnemonic(words.reveal(), wordlist)) throw new Fault('permanent', AT, 'these are not BIP-39 words');
  const plain = mnemonicToEntropy(words.reveal(), wordlist);
  if (plain.length !== ENTROPY_BYTES) throw new Fault('permanent', AT, 'a seed has 24 words');
  const salt = entropy(SALT_BYTES);
  const nonce = entropy(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', await stretch(passphrase, salt, LOG_COST), nonce);
  const sealed = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  const file: SeedFile = {
    version: VERSION,
    kdf: 'scrypt',
    logCost: LOG_COST,
    salt: hex(salt),
    cipher: 'aes-256-gcm',
    nonce: hex(nonce),
    sealed: hex(sealed),
  };
  await writeOnce(path, `${JSON.stringify(file)}\n`);
  return words;
}

/** The BIP-39 seed (without a BIP-39 passphrase) from which every key is derived. */
export async function openSeedFile(path: string, passphrase: Secret): Promise<Secret<Uint8Array>> {
  const file = parse(await readPrivate(path));
  const sealed = Buffer.from(file.sealed, 'hex');
  const key = await stretch(passphrase, Buffer.from(file.salt, 'hex'), file.logCost);
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(file.nonce, 'hex'));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    const plain = Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]);
    return new Secret(seedOf(entropyToMnemonic(plain, wordlist)));
  } catch {
    throw new Fault('permanent', AT, 'wrong passphrase, or the seed file was changed');
  }
}

/** As BIP-39 has it; by the runtime's own hand, which takes a hundredth of the time. */
const seedOf = (words: string): Uint8Array =>
  new Uint8Array(pbkdf2Sync(words.normalize('NFKD'), 'mnemonic', 2048, 64, 'sha512'));

async function readPrivate(path: string): Promise<string> {
  try {
    if (((await stat(path)).mode & 0o077) === 0) return await readFile(path, 'utf8');
  } catch (error) {
    throw new Fault('permanent', AT, `cannot read the seed file ${path}`, error);
  }
  throw new Fault('permanent', AT, `others may read the seed file ${path}: chmod 600 it`);
}

function parse(text: string): SeedFile {
  const file = parseJson(text) as Partial<Record<keyof SeedFile, unknown>> | undefined;
  if (file?.version !== VERSION) throw new Fault('permanent', AT, 'not a seed file of version 1');
  const { kdf, logCost, salt, cipher, nonce, sealed } = file;
  const known = kdf === 'scrypt' && cipher === 'aes-256-gcm';
  const costs = typeof logCost === 'number' && Number.isInteger(logCost) && logCost >= 1 && logCost <= MAX_LOG_COST;
  const sized = isHex(salt, SALT_BYTES) && isHex(nonce, NONCE_BYTES) && isHex(sealed, ENTROPY_BYTES + TAG_BYTES);
  if (!known || !costs || !sized) throw new Fault('permanent', AT, 'the seed file is damaged');
  return { version: VERSION, kdf, logCost, salt, cipher, nonce, sealed };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}

const isHex = (value: unknown, bytes: number): value is string =>
  typeof value === 'string' && value.length === bytes * 2 && HEX.test(value);

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

function stretch(passphrase: Secret, salt: Uint8Array, logCost: number): Promise<Buffer> {
  const N = 2 ** logCost;
  const options = { N, r: 8, p: 1, maxmem: 256 * N * 8 };
  return new Promise((resolve, reject) => {
    scrypt(passphrase.reveal().normalize('NFKC'), salt, KEY_BYTES, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

/** The name appears only with the whole content behind it, and a file that is there already stays as it is. */
async function writeOnce(path: string, text: string): Promise<void> {
  const draft = `${path}.new`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await link(draft, path).finally(() => unlink(draft));
    await syncFolder(dirname(path));
  } catch (error) {
    throw new Fault('permanent', AT, `cannot create the seed file ${path}`, error);
  }
}

/** A new name survives a power cut only once its folder was synced. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
