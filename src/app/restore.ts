import { openSubmit } from '../engine/submit.ts';
import type { Clock } from '../kernel/clock.ts';

import { type RestoreReport, restore } from '../life/recovery/restore.ts';
import { openSigner } from '../signer/client.ts';
import { openDb } from '../store/db.ts';
import type { Outbound } from '../world/outbound/http.ts';
import type { Config } from './config.ts';
import { openEngineBooks } from './engine-books.ts';
import { adoptingBooks } from './journal-gate.ts';
import type { AppLog } from './log.ts';
import { orderRules } from './order-rules.ts';
import { patiently } from './patience.ts';
import { sealKeysOf } from './process-keys.ts';
import { openChains } from './wiring/chains.ts';
import { openVenue, openVenueAsChain } from './wiring/venue.ts';

export interface RestoreDeps {
  readonly clock: Clock;
  readonly log: AppLog;
  readonly outbound: Outbound;
  readonly signerOutbound: Outbound;
  readonly margin: number;
  /** Where the database is reached; rehearsals put a door of their own in between. */
  readonly openDb?: typeof openDb;
}

/** With the same counterparties as an engine, and in its place: engines do nothing until this is done. */
export async function runRestore(config: Config, deps: RestoreDeps): Promise<RestoreReport> {
  const { clock, log, outbound, margin } = deps;
  const signer = openSigner(deps.signerOutbound);
  const keys = await patiently('signer', log, signer.publicKeys);
  const db = (deps.openDb ?? openDb)(config.database, config.databaseConnections);
  const books = openEngineBooks(db, clock, ...sealKeysOf(config));
  const chainBooks = { deposits: books.deposits, busy: books.payments.busy };
  const [ofSettings, asChain, venue] = await patiently('counterparties', log, () =>
    Promise.all([
      openChains(config, { keys, signer, books: chainBooks, outbound }),
      openVenueAsChain(config, keys, books.deposits, outbound, clock),
      openVenue(config, keys, outbound, clock),
    ]),
  );
  const chains = [...ofSettings.map(({ chain }) => chain), asChain];
  const submit = openSubmit(books.orders, books.payments, orderRules(config), clock, log);
  try {
    return await restore({
      books: { ...books.journal, ...adoptingBooks(books, submit) },
      journal: signer.journal,
      venueCoin: venue.market.quote,
      restoring: {
        ...books.journal,
        raiseCase: books.cases.raise,
        caseOver: (kind) => books.cases.over('treasury', { case: kind }),
        post: async (key, postings) => (await submit.commitHouse({ key, postings })) === 'ok',
      },
      chains,
      venue,
      margin,
    });
  } finally {
    await Promise.all([...chains.map((chain) => chain.close()), venue.close()]);
    await db.close();
  }
}
