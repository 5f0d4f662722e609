/** Addresses that somebody asked to keep, on this device alone: none is kept unasked, and none is sent anywhere. */
export interface KeptAddress {
  readonly family: string;
  readonly address: string;
}

const STORE = 'wherry-addresses';
const MOST = 50;

export const keptAddresses = (): KeptAddress[] => {
  try {
    return JSON.parse(localStorage.getItem(STORE) ?? '[]') as KeptAddress[];
  } catch {
    return [];
  }
};

export function keepAddresses(all: readonly KeptAddress[]): void {
  try {
    localStorage.setItem(STORE, JSON.stringify(all.slice(0, MOST)));
  } catch {
    // A browser that keeps nothing has no list.
  }
}
