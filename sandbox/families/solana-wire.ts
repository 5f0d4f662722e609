import type { Address } from '../../src/kernel/ids.ts';
import { STRANGER, TOKEN_PROGRAM, tokenAccountOf } from '../../src/world/chains/solana/address-codec.ts';
import { USDC_MINT, USDT_MINT } from '../../src/world/chains/solana/codec.ts';
import type { Wire } from '../control/faults.ts';
import type { Passing } from '../control/proxy.ts';
import { REJECTED, rpcError } from '../control/rpc-error.ts';
import { TOKEN_RENT, tokenAccountData } from '../nodes/solana-world.ts';

/** The account that pays customers, and whom else it pays: what goes there is no payout. */
interface Payer {
  readonly hot: Address;
  isOurs(address: string): boolean;
}

/** Without a word from the service about what it is going to send, it asks for four accounts: both wallets, both tokens'. */
export function solanaWire({ hot, isOurs }: Payer): Wire {
  const mints = new Map([USDC_MINT, USDT_MINT].map((mint) => [tokenAccountOf(hot, mint), mint]));
  const asked = ({ calls: [call] }: Passing) => {
    const [accounts] = (call?.method === 'getMultipleAccounts' ? call.params : []) as Address[][];
    const [from, source, to] = accounts ?? [];
    const mint = source && mints.get(source);
    const isPayout = from === hot && to !== hot && to !== STRANGER;
    return mint && to && isPayout && !isOurs(to) ? { to, mint } : undefined;
  };
  return {
    sends: new Set(['sendTransaction']),
    reject: (passing) => rpcError(passing, -32_002, `Transaction simulation failed: ${REJECTED}`),
    refusing: {
      triedBy: (passing) => [asked(passing)?.to ?? []].flat(),
      refuse(passing) {
        const question = asked(passing);
        const change = (answer: unknown) => (question ? withFrozen(answer, question) : answer);
        return { fate: 'rewrite', change };
      },
    },
  };
}

interface SolanaAnswer {
  readonly result: { readonly value: readonly unknown[] };
}

/** The last of the four accounts, as its mint would have it frozen. */
function withFrozen(answer: unknown, { to, mint }: { to: Address; mint: Address }): unknown {
  const told = answer as SolanaAnswer;
  const data = [Buffer.from(tokenAccountData(mint, to, 0n, 'frozen')).toString('base64'), 'base64'];
  const frozen = { lamports: Number(TOKEN_RENT), owner: TOKEN_PROGRAM, data, executable: false, rentEpoch: 0 };
  return { ...told, result: { ...told.result, value: [...told.result.value.slice(0, 3), frozen] } };
}
