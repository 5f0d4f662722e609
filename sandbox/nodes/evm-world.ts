import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { atoms } from '../../src/kernel/amount.ts';
import { assert, present } from '../../src/kernel/assert.ts';
import { type Address, assetId, type TokenId } from '../../src/kernel/ids.ts';
import { evmContractOf, parseEvmAddress, transferCall } from '../../src/world/chains/evm/codec.ts';
import { type EvmNetwork, evmNetwork } from '../../src/world/chains/evm/networks.ts';
import { evmRules } from '../../src/world/chains/evm/rules.ts';
import { DEPLOYER, placingCall, sweeperAddress, sweeperCode } from '../../src/world/chains/evm/sweeper-codec.ts';
import type { Rpc } from '../../src/world/outbound/json-rpc.ts';
import { type BoxChain, shortOf } from '../place.ts';
import { type AnvilOptions, evmKind, startAnvil } from './anvil.ts';
import { EvmBlocks, hexOf } from './evm-blocks.ts';
import { CoinsReceived, sumOf, tokenReceived } from './evm-received.ts';
import { EvmSent } from './evm-sent.ts';
import { balanceCall, blacklistCall, mintCall, placeContracts, unBlacklistCall } from './tokens.ts';

export interface EvmWorld extends BoxChain {
  readonly network: EvmNetwork;
  readonly rpc: Rpc;
  readonly customerAddress: Address;
  /** New money for anyone, in a block when this resolves. */
  fund(address: Address, token: TokenId, amount: bigint): Promise<void>;
  /** Makes a token refuse transfers from and to an account, or accept them again. */
  blacklist(account: Address, token: TokenId, isListed: boolean): Promise<void>;
  /** Places the code by which this hot account collects tokens, as an operator does, unless it is there. */
  placeSweeper(hot: Address): Promise<void>;
  /** Ends the node and starts it again; without a state file it forgets all. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface EvmWorldOptions extends AnvilOptions {
  /** Time between blocks; 0 or none: only `mine` makes them. */
  readonly blockTimeMs?: number;
}

/** The network's own contract that remembers every block (EIP-2935), with one more word for each in every state that is kept. Nobody asks it here. */
const BLOCK_HASHES = '0x0000f90827f1c53a10cb7a02335b175320002935';
/** More blocks than a node that is killed outright forgets. */
const MOST_LOST = 120;
const START_COINS = 100_000_000n * 10n ** 18n;
const START_TOKENS = 1_000_000_000n;
/** The customer, and others who may pay in his place. */
const SENDERS = 3;

/** An EVM network in the box: a node with the network's tokens, a customer with money, and a hand on the blocks. */
export async function startEvmWorld(options: EvmWorldOptions): Promise<EvmWorld> {
  const network = evmNetwork(options.chainId);
  const { kind = evmKind() } = options;
  const anvil = await startAnvil({ ...options, kind, whenBack: () => void tellAgain().catch(() => undefined) });
  const { rpc, rpcUrl } = anvil;
  const accounts = (await rpc('eth_accounts')) as string[];
  const [issuer, ...senders] = accounts.slice(0, 1 + SENDERS).map((one) => present(parseEvmAddress(one), one));
  const [customer] = senders;
  assert(issuer && customer, 'anvil signs for accounts of its own');
  const blocks = new EvmBlocks(rpc, accounts);
  const sent = new EvmSent(rpc, options.stateFile && `${options.stateFile}.sent`);
  const wallet = new EvmWallet(network, rpc, blocks, sent);
  const coins = new CoinsReceived(rpc);
  const tellAgain = () =>
    blocks.lane(async () => {
      coins.forgetAbove(Math.max(0, (await blocks.height()) - MOST_LOST));
      await sent.tellAgain();
    });

  if ((await blocks.height()) === 0) {
    await placeContracts(rpc, network);
    await rpc('anvil_setCode', [BLOCK_HASHES, '0x']);
    for (const account of [issuer, ...senders]) await rpc('anvil_setBalance', [account, hexOf(START_COINS)]);
    const tokens = network.facts.assets.filter(({ native }) => !native);
    for (const { token, decimals } of tokens)
      for (const sender of senders)
        await wallet.mint(issuer, token, mintCall(sender, START_TOKENS * 10n ** BigInt(decimals)));
    await blocks.mine(1);
    if (options.stateFile !== undefined) await writeState(rpc, options.stateFile);
  } else await tellAgain();
  blocks.setRhythm(options.blockTimeMs ?? 0);

  const { facts } = network;
  const { parseAddress, parseToken } = evmRules(network);
  return {
    ...{ network, chainId: facts.id, name: facts.name, kind, tokens: facts.assets },
    ...{ rpcUrl, rpc, parseAddress, parseToken },
    customerAddress: customer,
    wallets: async () => [customer],
    mine: (count) => blocks.mine(count),
    setAutomine: async (intervalMs) => blocks.setRhythm(intervalMs),
    senders,
    async pay({ token, to, atoms, from = customer }) {
      return { txHash: await wallet.pay(from as Address, token, to, atoms), from };
    },

    reorg: (depth, drop) =>
      blocks.lane(async () => {
        coins.forgetAbove((await blocks.height()) - depth);
        await blocks.replace(depth, drop);
        sent.forget(drop);
      }),

    async fund(address, token, amount) {
      if (wallet.contractOf(token)) await wallet.call(issuer, token, mintCall(address, amount));
      else await wallet.untilMined(await wallet.pay(issuer, token, address, amount));
    },

    blacklist: (account, token, isListed) =>
      wallet.call(issuer, token, isListed ? blacklistCall(account) : unBlacklistCall(account)),

    async placeSweeper(hot) {
      if ((await rpc('eth_getCode', [sweeperAddress(hot), 'latest'])) !== '0x') return;
      await wallet.untilMined(await wallet.send({ from: issuer, to: DEPLOYER, data: placingCall(hot) }));
      assert(
        (await rpc('eth_getCode', [sweeperAddress(hot), 'latest'])) === sweeperCode(hot),
        'the sweeper is not placed',
      );
    },

    async received(token, address) {
      const payee = present(parseEvmAddress(address), address);
      const contract = wallet.contractOf(token);
      return sumOf(await blocks.lane(() => (contract ? tokenReceived(rpc, contract, payee) : coins.by(payee))));
    },

    restart: () => blocks.lane(anvil.restart),

    async close() {
      blocks.setRhythm(0);
      await blocks.lane(() => anvil.stop());
    },
  };
}

/** The first time; from then on the node does so itself. Without it one that is killed before would come back without a token. */
async function writeState(rpc: Rpc, file: string): Promise<void> {
  const zipped = (await rpc('anvil_dumpState', [true])) as string;
  writeFileSync(file, gunzipSync(Buffer.from(zipped.slice(2), 'hex')));
}

/** More than any transfer of the sandbox's token needs. */
const GAS = hexOf(200_000);
const LOOK_EVERY_MS = 20;

/** Sends for accounts that the node signs for. */
class EvmWallet {
  readonly #network: EvmNetwork;
  readonly #rpc: Rpc;
  readonly #blocks: EvmBlocks;
  readonly #sent: EvmSent;

  constructor(network: EvmNetwork, rpc: Rpc, blocks: EvmBlocks, sent: EvmSent) {
    this.#network = network;
    this.#rpc = rpc;
    this.#blocks = blocks;
    this.#sent = sent;
  }

  contractOf(token: string): Address | undefined {
    return evmContractOf(assetId(this.#network.facts.id, token as TokenId));
  }

  async pay(from: Address, token: string, to: string, amount: bigint): Promise<string> {
    const contract = this.contractOf(token);
    if (!contract) return this.send({ from, to, value: hexOf(amount) });
    // The node looks at coins only: a transfer of too many tokens would be mined, and fail.
    const held = BigInt((await this.#rpc('eth_call', [{ to: contract, data: balanceCall(from) }, 'latest'])) as string);
    if (held < amount) throw shortOf(amount, held);
    return this.send({ from, to: contract, data: transferCall(to as Address, atoms(amount)) });
  }

  /** Calls a token, and is done when that is in a block. */
  async call(from: Address, token: TokenId, data: string): Promise<void> {
    const contract = present(this.contractOf(token), `contract of ${token}`);
    await this.untilMined(await this.send({ from, to: contract, data }));
  }

  /** The same without waiting for its block. */
  async mint(from: Address, token: TokenId, data: string): Promise<void> {
    await this.send({ from, to: present(this.contractOf(token), `contract of ${token}`), data });
  }

  async untilMined(hash: string): Promise<void> {
    if (!this.#blocks.hasRhythm) await this.#blocks.mine(1);
    while ((await this.#rpc('eth_getTransactionReceipt', [hash])) === null) await pause(LOOK_EVERY_MS);
  }

  /** In the lane: the node picks the nonce, after all that it already holds of this account. */
  send(transaction: Readonly<Record<string, string>>): Promise<string> {
    return this.#blocks.lane(async () => {
      const hash = (await this.#rpc('eth_sendTransaction', [{ ...transaction, gas: GAS }])) as string;
      await this.#sent.add(hash);
      return hash;
    });
  }
}
