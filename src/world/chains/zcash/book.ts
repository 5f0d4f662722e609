import { present } from '../../../kernel/assert.ts';
import type { Address } from '../../../kernel/ids.ts';
import { addressForms, decodeAddress, receiverNames } from './codec.ts';
import type { ZcashWallet } from './wallet.ts';

/**
 * A deposit address is paid at one of its receivers, and the wallet often tells no more than which. What is kept here can be
 * read from the wallet again at any time.
 */
export interface AddressBook {
  learn(unified: Address): void;
  /** The address as it was issued, or undefined for one that never was. */
  resolve(address: Address): Promise<Address | undefined>;
}

const namesOf = (address: Address): readonly string[] =>
  receiverNames(present(decodeAddress(address), 'a checked address'));

export function addressBook(wallet: Pick<ZcashWallet, 'addresses'>): AddressBook {
  const issued = new Map<string, Address>();
  const learn = (unified: Address) => {
    if (addressForms(unified)) for (const name of namesOf(unified)) issued.set(name, unified);
  };
  const known = (address: Address): Address | undefined => {
    const [unified] = namesOf(address).flatMap((name) => issued.get(name) ?? []);
    return unified ?? addressForms(address)?.unified;
  };
  return {
    learn,
    async resolve(address) {
      const found = known(address);
      if (found) return found;
      for (const unified of await wallet.addresses()) learn(unified);
      return known(address);
    },
  };
}
