import { present } from '../src/kernel/assert.ts';
import { BOX_FAMILIES } from './families.ts';

/** New valid addresses of each chain. `likes` gives one of the chain, where its network must be known to make another. */
export function freshAddresses(likes: (chainId: number) => string | undefined = () => undefined) {
  return (chainId: number): string => {
    const family = BOX_FAMILIES.find(({ limits }) => limits.some((one) => one.chainId === chainId));
    return present(family, `addresses of chain ${chainId}`).freshAddress(likes(chainId) ?? '');
  };
}
