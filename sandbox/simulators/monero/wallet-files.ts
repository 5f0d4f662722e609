import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { decodeAddress, encodeAddress, publicKey, scalar } from '../../../src/world/chains/monero/codec.ts';
import { RpcFailure } from '../rpc-server.ts';
import type { Protocol } from './server.ts';
import type { Wallet, WalletKeys, WalletState } from './wallet.ts';

/** The wallets of one server: what a directory is to monero-wallet-rpc. Only one is open at a time. */
export interface Shelf {
  /** The server reads new blocks by itself, first as soon as it has a wallet. */
  autoRefresh: boolean;
  readonly wallets: Map<string, Wallet>;
  open: Wallet | undefined;
  /** Puts a new one there. */
  add(state: WalletState): Wallet;
}

export function readByItself({ autoRefresh, open }: Shelf): void {
  if (autoRefresh) open?.refresh();
}

export function filing(shelf: Shelf): Protocol['methods'] {
  return {
    generate_from_keys({ filename, password, address, viewkey, spendkey, restore_height: restoreHeight }) {
      const name = String(filename);
      if (shelf.wallets.has(name)) throw new RpcFailure(-1, 'Wallet already exists.');
      const keys = checkedKeys(String(address), String(viewkey), spendkey ? String(spendkey) : undefined);
      const fresh = { name, password: String(password), keys, restoreHeight: Number(restoreHeight ?? 0) };
      shelf.open = shelf.add({ ...fresh, made: 1, frozen: [], sent: [] });
      readByItself(shelf);
      const kind = keys.spendKey ? 'Wallet' : 'Watch-only wallet';
      return { address: keys.address, info: `${kind} has been generated successfully.` };
    },
    open_wallet({ filename, password }) {
      const found = shelf.wallets.get(String(filename));
      if (found?.password !== String(password)) throw new RpcFailure(-1, 'Failed to open wallet');
      shelf.open = found;
      readByItself(shelf);
      return {};
    },
    close_wallet() {
      if (!shelf.open) throw new RpcFailure(-13, 'No wallet file');
      shelf.open = undefined;
      return {};
    },
  };
}

function checkedKeys(address: string, viewKey: string, spendKey: string | undefined): WalletKeys {
  const decoded = decodeAddress(address);
  if (!decoded) throw new RpcFailure(-1, 'Failed to parse public address');
  const view = publicKey(scalar(hexToBytes(viewKey)));
  const spend = spendKey ? publicKey(scalar(hexToBytes(spendKey))) : decoded.spend;
  const derived = encodeAddress({ kind: 'standard', spend, view, paymentId: new Uint8Array() });
  if (derived !== address) throw new RpcFailure(-1, 'view key does not match standard address');
  return { address: derived, viewKey, spendKey, publicSpend: bytesToHex(spend) };
}
