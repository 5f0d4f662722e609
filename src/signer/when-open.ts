import { Fault } from '../kernel/fault.ts';
import { AT_ZCASH } from '../world/chains/zcash/reply-codec.ts';
import type { MoneroDevice } from './monero-device.ts';
import type { ZcashDevice } from './zcash-device.ts';

/** Devices whose wallets still open: every call waits until they are there. */
export function whenMoneroOpen(opening: Promise<MoneroDevice>): MoneroDevice {
  return {
    sign: async (request) => (await opening).sign(request),
    ensureOutputs: async (...wanted) => (await opening).ensureOutputs(...wanted),
    release: async (dead) => (await opening).release(dead),
    balance: async () => (await opening).balance(),
    knowDeposits: async (count) => (await opening).knowDeposits(count),
    close: async () => (await opening).close(),
  };
}

/** Only the wallet knows the account's own address: whoever needs it before must ask again. */
export function whenZcashOpen(opening: Promise<ZcashDevice>): ZcashDevice {
  let opened: ZcashDevice | undefined;
  opening.then(
    (device) => {
      opened = device;
    },
    // Told to whoever waits for it.
    () => {},
  );
  return {
    get address() {
      if (opened) return opened.address;
      throw new Fault('transient', AT_ZCASH, 'the wallet is opening');
    },
    sign: async (request) => (await opening).sign(request),
    depositAddresses: async (first, count) => (await opening).depositAddresses(first, count),
  };
}
