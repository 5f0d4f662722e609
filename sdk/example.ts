import { type ClientOptions, WherryError, wherryClient } from './src/index.ts';

const USDC = '0xaf88d065e77c8cc2239327c5edb3a432268e5831';

/** Sells one XMR for USDC on Arbitrum and tells what happens. */
export async function sellMonero(options: ClientOptions, toAddress: string, tell: (line: string) => void) {
  const wherry = wherryClient(options);
  const pair = { fromChainId: 0, fromToken: 'XMR', toChainId: 42161, toToken: USDC };
  const wanted = { ...pair, toAddress, fromAmount: '1000000000000' };
  try {
    const quote = await wherry.quoteSwap(wanted);
    tell(`about ${quote.toAmount} of the smallest unit of ${quote.toSymbol}`);
    const { orderId, sessionId, depositAmount, depositAddress } = await wherry.createSwap(wanted);
    tell(`order ${orderId}: send ${depositAmount} to ${depositAddress}`);
    const changes = wherry.followOrder({ id: orderId, session: sessionId });
    for await (const { customerState } of changes) tell(customerState.kind);
  } catch (error) {
    if (!(error instanceof WherryError)) throw error;
    tell(`refused (${error.code}): ${error.message}`);
  }
}
