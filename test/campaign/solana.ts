import { base58 } from '@scure/base';
import { startSimulatedSolana } from '../../sandbox/nodes/solana.ts';
import { FINALITY_SLOTS, type SolanaWorld, TOKEN_RENT, tokenAccountData } from '../../sandbox/nodes/solana-world.ts';
import type { Address } from '../../src/kernel/ids.ts';
import type { KeyTree } from '../../src/signer/keys.ts';
import { solanaKeys } from '../../src/signer/rails/solana.ts';
import { readTokenAccount } from '../../src/world/chains/solana/account-codec.ts';
import { solanaAddressOfKey, TOKEN_PROGRAM, tokenAccountOf } from '../../src/world/chains/solana/address-codec.ts';
import { mintOf, USDC_MINT } from '../../src/world/chains/solana/codec.ts';
import { SolanaNode } from '../../src/world/chains/solana/node.ts';
import { httpOutbound } from '../../src/world/outbound/http.ts';
import { type Abroad, purseOf } from './abroad.ts';
import { type Chance, chance } from './random.ts';
import { Scheduler } from './scheduler.ts';
import { BLOCK_MS, enter } from './seal.ts';

const START = 1_790_000_000_000;
const STOCK = 100_000n;
/** Of which every one is a block that is final two beats later; those between have none. */
const SLOTS_A_BEAT = Math.ceil(FINALITY_SLOTS / 2);
/** After so many blocks nobody takes what was signed before. */
const OUTDATED = 152;

interface Start {
  readonly snapshot: string;
  /** Below what the desk was paid. */
  readonly scanFrom: number;
}

let made: Start | undefined;

/** The first blocks of every seed's Solana, with what the desk and customers have. Made once. */
export async function solanaStart(tree: KeyTree): Promise<Start> {
  if (made) return made;
  const c = chance('solana');
  enter({ scheduler: new Scheduler(c, START), chance: c });
  const world = await startSimulatedSolana();
  const scanFrom = await slotOf(world, 'finalized');
  for (const { token, decimals } of world.tokens)
    await world.pay({ token, to: hotOf(tree), atoms: STOCK * 10n ** BigInt(decimals) });
  for (let beats = 0; beats < 3; beats += 1) await jump(world);
  made = { snapshot: world.snapshot(), scanFrom };
  await world.close();
  enter(undefined);
  return made;
}

const slotOf = async ({ rpc }: SolanaWorld, commitment: string) => (await rpc('getSlot', [{ commitment }])) as number;

async function jump(world: SolanaWorld): Promise<void> {
  await world.rpc('surfnet_timeTravel', [{ absoluteSlot: (await slotOf(world, 'processed')) + SLOTS_A_BEAT }]);
}

const hotOf = (tree: KeyTree): Address => solanaAddressOfKey(solanaKeys(tree)('hot').reveal());

export async function openSolana(tree: KeyTree, chance: Chance): Promise<Abroad> {
  const { snapshot, scanFrom } = await solanaStart(tree);
  const world = await startSimulatedSolana(snapshot);
  const { rpcUrl, genesisHash } = world;
  const hot = hotOf(tree);
  const { purse, pay, isOurs } = purseOf(world);
  const node = new SolanaNode(rpcUrl, httpOutbound);
  let wasCrowded = false;
  const solana: Abroad = {
    ...{ ...world, hot, purse, pay, isOurs, isCrowded: false, blockMs: BLOCK_MS },
    settings: { solana: { rpcUrl, witnessUrls: [`${rpcUrl}/second`], genesisHash, scanFrom } },
    freshDestination: async () => solanaAddressOfKey(chance.bytes(32)),
    // What leaders have no room for is dropped without a word to whoever sent it.
    pass({ label, body = '' }) {
      if (label !== 'sendTransaction' || !solana.isCrowded) return undefined;
      const { id, params } = JSON.parse(body) as { id: unknown; params: [string] };
      const result = base58.encode(Buffer.from(params[0], 'base64').subarray(1, 65));
      return { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, result }) };
    },
    async beat() {
      if (wasCrowded && !solana.isCrowded) await world.tick(OUTDATED);
      wasCrowded = solana.isCrowded;
      await jump(world);
    },
    async refuse(address) {
      const data = tokenAccountData(USDC_MINT, address, 0n, 'frozen');
      const account = { lamports: TOKEN_RENT, program: TOKEN_PROGRAM, data };
      await world.setAccount(tokenAccountOf(address, USDC_MINT), account);
    },
    async held(asset, deposits) {
      const mint = mintOf(asset.id);
      const wallets = [hot, ...deposits.map((one) => one as Address)];
      const accounts = await node.accounts(mint ? wallets.map((one) => tokenAccountOf(one, mint)) : wallets);
      const atoms = accounts.map((one) => (mint ? one && readTokenAccount(one.data)?.atoms : one?.lamports) ?? 0n);
      return atoms.reduce((sum, one) => sum + one, 0n);
    },
  };
  return solana;
}
