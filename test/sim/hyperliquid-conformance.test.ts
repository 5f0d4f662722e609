import { venueConformance } from '../../src/world/venues/conformance.ts';
import { signMoveBody, signTradeBody } from '../../src/world/venues/hyperliquid/codec.ts';
import { FRIEND, KEY, openVenue } from './hyperliquid-bench.ts';

venueConformance('Hyperliquid on its simulator', async () => {
  const { venue, simulator, clock, close } = await openVenue();
  return {
    venue,
    clock,
    friend: FRIEND,
    signTrade: (ticket) => signTradeBody(ticket, venue.market.wire, KEY),
    signMove: (move) => signMoveBody(move, move.move === 'send' ? venue.tokenWire(move.asset) : {}, KEY),
    loseNextAnswer: () => simulator.setFault({ mode: 'error_after_effect', count: 1 }),
    close,
  };
});
