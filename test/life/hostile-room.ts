import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import type { TestContext } from 'node:test';
import { SPEND_LOGIN } from '../../sandbox/nodes/monero-world.ts';
import { startMoneroSimulator } from '../../sandbox/simulators/monero/simulator.ts';
import { startZcashSimulator } from '../../sandbox/simulators/zcash/simulator.ts';
import { atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { openBinder } from '../../src/kernel/binding.ts';
import type { Address, OrderId } from '../../src/kernel/ids.ts';
import { ratio } from '../../src/kernel/ratio.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { openSigner, unixOutbound } from '../../src/signer/client.ts';
import type { Limits } from '../../src/signer/limits.ts';
import { type SignerConfig, startSigner } from '../../src/signer/start-signer.ts';
import { toWire } from '../../src/signer/wire.ts';
import { evmDepositAddresses } from '../../src/world/chains/evm/codec.ts';
import { moneroKeysFromSeed } from '../../src/world/chains/monero/codec.ts';
import { SOLANA_ID, solanaToken, USDC_MINT } from '../../src/world/chains/solana/codec.ts';
import { TRON_ID, tronDepositAddresses } from '../../src/world/chains/tron/codec.ts';
import { ZCASH_ID, ZEC_ASSET } from '../../src/world/chains/zcash/rules.ts';
import { httpOutbound } from '../../src/world/outbound/http.ts';
import { aDay, handClock, LIMITS, NO_LIMIT, temporaryFolder } from '../unit/signer-bench.ts';
import { listLog, seedFile, showJournal, signerConfig, socketsOf } from './signer-process.ts';

/** Whoever gives the second yes. */
export const ADA = openBinder(new Secret(new Uint8Array(32).fill(7)));
export const SOLANA_USDC = solanaToken(USDC_MINT);
const dollars = (count: bigint) => atoms(count * 1_000_000n);

export const HOSTILE_LIMITS: Limits = {
  ...LIMITS,
  assets: {
    ...LIMITS.assets,
    [SOLANA_USDC]: { perTransfer: dollars(100n), perDay: dollars(200n), floor: ratio(1n, 1n) },
    [ZEC_ASSET.id]: NO_LIMIT,
  },
  usdPerDay: dollars(2_500n),
  engine: { usdPerTransfer: dollars(200n), usdPerDay: dollars(300n) },
  chains: {
    ...LIMITS.chains,
    ...{ [SOLANA_ID]: aDay(10n ** 7n, 10n ** 8n), [TRON_ID]: aDay(10n ** 8n, 10n ** 8n) },
    [ZCASH_ID]: aDay(0n, 250_000n),
  },
};

export interface Ask {
  readonly path: string;
  /** Text and bytes go as they are. */
  readonly body?: unknown;
  readonly method?: string;
}

/** A body for one path of the signer. */
export const at =
  (path: string) =>
  (body: unknown): Ask => ({ path, body });
export const transfer = at('/transfer');
export const trade = at('/trade');
export const move = at('/move');

/** An order of its own for every row, so that none stands in the way of another. */
export const order = (name: string): OrderId => `sw_${name.replace(/[^a-z]/g, '').padEnd(26, 'z')}` as OrderId;

/** Whose staked coins the hot key may lend, a hundred of them at a time. */
export const STAKED = { account: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', permission: 2, perLoan: 100 } as const;

/** Starts a signer from these settings, with the sockets of the engine and of the API. */
export async function startHostile(t: TestContext, change: (base: SignerConfig) => SignerConfig) {
  const folder = temporaryFolder(t);
  await seedFile(folder);
  const clock = handClock();
  const server = await startSigner(change(signerConfig(folder)), { outbound: httpOutbound, clock, log: listLog() });
  t.after(() => server.close());
  await showJournal(folder);
  const sockets = socketsOf(folder);
  const { evm, tron } = await openSigner(unixOutbound(sockets.engine)).publicKeys();
  const { hot, xpub } = present(evm, 'keys of the EVM family');
  return {
    clock,
    hot,
    deposit: evmDepositAddresses(present(xpub, 'extended key')),
    onTron: (index: number): Address => tronDepositAddresses(present(tron?.xpub, 'extended key'))(index),
    /** How the signer answers a caller at one of its sockets. */
    ask: (door: keyof typeof sockets, ask: Ask) => post(sockets[door], ask),
    /** Something that is signed. */
    async signed(ask: Ask): Promise<{ readonly txHash: string; readonly cost: string }> {
      const { status, text } = await post(sockets.engine, ask);
      assert.equal(status, 200, text);
      return JSON.parse(text) as { txHash: string; cost: string };
    },
  };
}

export type HostileRoom = Awaited<ReturnType<typeof startHostile>>;

/** A signer for every family, with wallets on networks of their own where it needs one. */
export async function everyFamily(t: TestContext): Promise<HostileRoom> {
  const { address: hotAddress } = moneroKeysFromSeed(new Uint8Array(32).fill(7));
  const [world, monero] = await Promise.all([startZcashSimulator(), startMoneroSimulator({ hotAddress })]);
  t.after(() => Promise.all([world.close(), monero.close()]));
  const zcash = {
    spendWallet: { url: world.walletUrl('spend'), login: world.walletLogin('spend') },
    accountUuid: world.accountUuid,
  };
  const spendWallet = { url: monero.walletUrl('spend'), login: SPEND_LOGIN, password: 'play money' };
  return startHostile(t, (base) => ({
    ...base,
    chains: {
      ...base.chains,
      ...{
        bitcoin: { network: 'mainnet' },
        litecoin: { network: 'mainnet' },
        solana: {},
        tron: { stake: STAKED },
        zcash,
      },
      monero: { spendWallet, restoreHeight: 0 },
    },
    limits: HOSTILE_LIMITS,
    approval: { above: dollars(600n), approvers: [ADA.publicKey] },
  }));
}

export interface Reply {
  readonly status: number;
  readonly text: string;
}

function post(socketPath: string, { path, body, method = 'POST' }: Ask): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const asked = httpRequest({ socketPath, path, method, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    asked.on('error', reject);
    asked.end(body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : toWire(body));
  });
}

/** The reason in one word, as the signer gives it; `signed` where there is none. */
export function reasonOf({ status, text }: Reply): string {
  const { refused, error, field, fault } = JSON.parse(text) as Partial<Record<string, string>>;
  if (status === 200) return 'signed';
  if (error === 'malformed') return `malformed ${field}`;
  return refused ?? error ?? fault ?? `${status}`;
}

export interface Hostile {
  /** What the caller wants, in words. */
  readonly tries: string;
  readonly door: 'engine' | 'api';
  readonly refused: string;
  /** What happened before. */
  readonly first?: (room: HostileRoom) => Promise<unknown>;
  readonly asks: (room: HostileRoom) => Ask;
}

type Row = readonly [tries: string, refused: string, asks: Hostile['asks'], first?: Hostile['first']];

export const hostile = (door: Hostile['door'], rows: readonly Row[]): readonly Hostile[] =>
  rows.map(([tries, refused, asks, first]) => ({ tries, door, refused, asks, ...(first ? { first } : {}) }));
