import { Deadline } from '../parts/deadline.tsx';
import { DepositPanel } from '../parts/deposit.tsx';
import { Facts, Headline, Note } from '../parts/notice.tsx';
import { receives } from '../parts/order-details.tsx';
import { isSenderless } from '../server/desk.ts';
import { plainName } from '../server/view.ts';
import { asked, inDeposited, type State } from './state.ts';

export const awaitingDeposit: State = ({ view, order }) => {
  const { words, book } = view;
  const chain = book.chain(order.fromChainId);
  const isBridge = order.product === 'bridge';
  const least = order.minimumDepositAmount === undefined ? undefined : inDeposited(order, order.minimumDepositAmount);
  const symbol = plainName(order.fromSymbol);
  const line = !isBridge
    ? words.deposit.line(asked(order), chain.name)
    : chain.family === 'venue'
      ? words.deposit.lineVenue(symbol, chain.name)
      : words.deposit.lineBridge(symbol, least ?? '0');
  return {
    mood: 'waiting',
    title: words.deposit.title,
    body: (
      <>
        <Headline mood="waiting" title={words.deposit.title} line={line} />
        <DepositPanel view={view} order={order} atoms={isBridge ? undefined : BigInt(order.depositAmount)} />
        <Note>
          {isBridge
            ? words.deposit.onlyNetwork(chain.name)
            : `${words.deposit.exact} ${words.deposit.onlyNetwork(chain.name)}`}
        </Note>
        <Facts
          rows={[
            // Where any amount will do, the sentence above names the least.
            isBridge && chain.family === 'venue' && least !== undefined && [words.deposit.least, least],
            [words.order.deadline, <Deadline view={view} at={order.expiresAt} />],
            !isBridge && [words.order.youReceive, receives(view, order)],
            [
              words.order.refundTo,
              order.refundAddress ? (
                <bdi class="code">{order.refundAddress}</bdi>
              ) : isSenderless(chain) ? (
                words.order.refundAsk
              ) : (
                words.order.refundSender
              ),
            ],
          ]}
        />
      </>
    ),
  };
};
