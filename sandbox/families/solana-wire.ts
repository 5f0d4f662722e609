import type { Address } from '../../src/kernel/ids.ts';
import { STRANGER, TOKEN_PROGRAM, tokenAccountOf } from '../../src/world/chains/solana/address-codec.ts';
import { USDC_MINT, USDT_MINT } from '../../src/world/chains/solana/codec.ts';
import type { Wire } from '../control/faults.ts';
import type { Passing } from '../control/proxy.ts';
import { REJECTED, rpcError } from '../control/rpc-error.ts';
import { TOKEN_RENT, tokenAccountData } from '../nodes/solana-world.ts';

const LOADER = 'BPFLoaderUpgradeab1e11111111111111111111111' as Address;

/** The account that pays customers, and whom else it pays: what goes there is no payout. */
interface Payer {
  readonly hot: Address;
  isOurs(address: string): boolean;
}

/**
 * Without a word from the service about what it is going to send, it asks for four accounts: both wallets, and both tokens' or, of coins,
 * the wallets again.
 */
export function solanaWire({ hot, isOurs }: Payer): Wire {
  const mints = new Map([USDC_MINT, USDT_MINT].map((mint) => [tokenAccountOf(hot, mint), mint]));
  const asked = ({ calls: [call] }: Passing) => {
    const [accounts] = (call?.method === 'getMultipleAccounts' ? call.params : []) as Address[][];
    const [from, source, to] = accounts ?? [];
    const mint = source && mints.get(source);
    const isPayout = from === hot && (mint || source === hot) && to !== hot && to !== STRANGER;
    return to && isPayout && !isOurs(to) ? { to, mint } : undefined;
  };
  return {
    sends: new Set(['sendTransaction']),
    reject: (passing) => rpcError(passing, -32_002, `Transaction simulation failed: ${REJECTED}`),
    refusing: {
      triedBy: (passing) => [asked(passing)?.to ?? []].flat(),
      refuse(passing) {
        const question = asked(passing);
        const change = (answer: unknown) => (question ? withRefusal(answer, question) : answer);
        return { fate: 'rewrite', change };
      },
    },
  };
}

interface SolanaAnswer {
  readonly result: { readonly value: readonly unknown[] };
}

/** The last two of the four accounts: the token's as its mint would have it frozen, or a wallet of coins that is a program. */
function withRefusal(answer: unknown, { to, mint }: { to: Address; mint: Address | undefined }): unknown {
  const told = answer as SolanaAnswer;
  const [wallet, source, payee] = told.result.value;
  const account = (owner: Address, executable: boolean, bytes: Uint8Array) => {
    const data = [Buffer.from(bytes).toString('base64'), 'base64'];
    return { lamports: Number(TOKEN_RENT), owner, data, executable, rentEpoch: 0 };
  };
  const program = account(LOADER, true, new Uint8Array());
  const refused = mint
    ? [payee, account(TOKEN_PROGRAM, false, tokenAccountData(mint, to, 0n, 'frozen'))]
    : [program, program];
  return { ...told, result: { ...told.result, value: [wallet, source, ...refused] } };
}
