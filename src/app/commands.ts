import type { Command } from './command/command.ts';
import { CONFIG, DEFAULT_MARGIN, DIR, OPERATOR, PERSON } from './command/options.ts';
import { ROLES } from './roles.ts';

/**
 * Everything that `wherry` does, in the order in which a new desk needs it. What carries a command out is loaded when it is called:
 * all of it together takes a second to load, which nobody who asks for help should wait for.
 */
export const COMMANDS: readonly Command[] = [
  {
    name: 'config init',
    summary: 'Write the settings of every role from the one file that you edit',
    options: { dir: DIR },
    details: [
      'desk.json in that folder is yours: everything but secrets, with limits in whole coins by symbol (USDC@42161). Where it is',
      'missing, an example is put there. From it signer/, engine/ and api/ are written, each with the secrets that its role',
      'needs and no others. Secrets that nobody needs to choose are made once and stay, so that it may be repeated.',
    ],
    run: async (given) => (await import('./command/config-init.ts')).initConfig(given),
  },
  {
    name: 'operator new',
    summary: 'Give an operator a token; one that they had holds until it is retired',
    options: {
      name: PERSON,
      'read-only': { says: 'may look at everything and change nothing' },
      'token-to': { takes: '<file>', says: 'where the token is written; it is shown once without it' },
      dir: DIR,
    },
    details: ['Only its hash is kept in the settings.'],
    run: async (given) => (await import('./command/operator.ts')).newOperator(given),
  },
  {
    name: 'operator retire',
    summary: "End an operator's older tokens, or all of them",
    options: { name: PERSON, all: { says: 'the newest one as well: the operator is gone' }, dir: DIR },
    run: async (given) => (await import('./command/operator.ts')).retireOperator(given),
  },
  {
    name: 'seed new',
    summary: 'Make the seed of all keys, and show its 24 words once',
    options: { config: CONFIG },
    details: [
      'The file of `signer.seedFile` is made, sealed with `signer.passphrase`. A file that is there already stays as it is.',
    ],
    run: async (given) => (await import('./command/seed.ts')).newSeed(given),
  },
  {
    name: 'seed restore',
    summary: 'Make the seed file again from its 24 words, which are read from the standard input',
    options: { config: CONFIG },
    details: ['Words are never taken from the command line, where every user of the computer could read them.'],
    run: async (given) => (await import('./command/seed.ts')).restoreSeed(given),
  },
  {
    name: 'limits',
    summary: 'The most that can be lost in a day if a part of the desk is taken, by the settings',
    options: { config: CONFIG },
    details: [
      'In dollars, by the floor prices of `signer.limits.assets`: what is worth more than its floor is lost at its real price.',
      'The signer itself is no part of it: whoever has its seed has everything.',
    ],
    run: async (given) => (await import('./command/limits.ts')).limits(given),
  },
  {
    name: 'migrate',
    summary: 'Bring the tables of the database up to date',
    options: { config: CONFIG },
    details: [
      'What is there already stays. It may be repeated; `start` does the same first, where its login may. It takes the login of the',
      'owner of the tables (`database.owner` of desk.json), where roles have logins of their own.',
    ],
    run: async (given) => (await import('./command/migrate.ts')).migrateDatabase(given),
  },
  {
    name: 'journal new',
    summary: "Begin the signer's journal, for a new desk or in place of one that is lost",
    options: {
      'despite-unsettled': { says: 'although payments are under way whose signatures no journal would know any more' },
      config: CONFIG,
    },
    details: [
      'The signer must not run. Daily limits begin at 0, and the database takes the new journal for its own. It needs the settings',
      'of the signer, and the login of whoever owns the tables.',
    ],
    run: async (given) => (await import('./command/journal.ts')).newJournal(given),
  },
  {
    name: 'config check',
    summary: "Look whether a role's settings are right, and whether everything it needs is there",
    operands: [{ takes: '<role>', oneOf: ROLES }],
    options: { config: CONFIG },
    details: [
      'Files and their modes, limits, the database and the clock, nodes and whether they serve the right chain. Nothing is changed.',
    ],
    run: async (given) => (await import('./command/config-check.ts')).checkConfigOf(given),
  },
  {
    name: 'start',
    summary: 'Run one of the roles until it is told to end',
    operands: [{ takes: '<role>', oneOf: ROLES }],
    options: { config: CONFIG },
    details: ['It logs JSON lines to its output. SIGTERM and Ctrl-C let it finish what it does.'],
    run: async (given) => (await import('./command/start.ts')).startRole(given),
  },
  {
    name: 'sweeper',
    summary: 'Show the transaction after which the hot account collects tokens by itself',
    operands: [{ takes: '<address>' }],
    details: [
      '<address> is the hot account. Anybody may send the transaction, once on each network, without coins and with about 80,000 gas.',
      'What it places obeys the hot account alone, pays nobody else, and is at the same address everywhere.',
    ],
    run: async (given) => (await import('./command/sweeper.ts')).sweeper(given),
  },
  {
    name: 'orders',
    summary: 'List orders that are not done with, those that stood still longest first',
    options: {
      stuck: { says: 'only what should move by itself and does not, or has a case' },
      state: { takes: '<states>', says: 'only these, with commas between them: paying,refunding' },
      'older-than': { takes: '<minutes>', says: 'only those that nothing has moved for so long' },
      limit: { takes: '<number>', says: 'at most so many; 50 without it' },
      ...OPERATOR,
    },
    run: async (given) => (await import('./command/orders.ts')).listOrders(given),
  },
  {
    name: 'case close',
    summary: 'Take a case off the list that has been dealt with',
    operands: [{ takes: '<id>' }],
    options: {
      reason: { takes: '<text>', says: 'what was done about it; it is kept with your name', isNeeded: true },
      by: { takes: '<name>', says: 'who acts, where several people share one token' },
      ...OPERATOR,
    },
    details: [
      'It comes back if the trouble does. While it is the only way to money that is owed, it cannot be closed.',
      'GET /operator/cases lists what is open, and what else helps.',
    ],
    run: async (given) => (await import('./command/case.ts')).closeCase(given),
  },
  {
    name: 'drift adopt',
    summary: "Book a lasting difference between ledger and chain as the treasury's",
    operands: [{ takes: '<id>' }],
    options: {
      reason: { takes: '<text>', says: 'what the difference is; it is kept with your name', isNeeded: true },
      by: { takes: '<name>', says: 'who acts, where several people share one token' },
      ...OPERATOR,
    },
    details: [
      '<id> is the number of its case, drift in GET /operator/cases. It is booked once, and only if the account still shows it.',
    ],
    run: async (given) => (await import('./command/case.ts')).adoptDrift(given),
  },
  {
    name: 'backup',
    summary: 'Write the whole database into one file, as it is at one moment',
    options: {
      to: { takes: '<file>', says: 'the file that the backup is written to', isNeeded: true },
      config: CONFIG,
    },
    details: ['The desk may go on meanwhile. The file is for its owner alone to read.'],
    run: async (given) => (await import('./command/backup.ts')).backUp(given),
  },
  {
    name: 'restore',
    summary: 'Bring a database that was put back to the past up to what the signer knows',
    options: {
      from: { takes: '<file>', says: 'a backup, with which an empty database is filled first' },
      margin: {
        takes: '<addresses>',
        says: `deposit addresses that are given to nobody any more; ${DEFAULT_MARGIN} without it`,
      },
      config: CONFIG,
    },
    details: ['The signer must run, on its newest journal. Nothing is signed.'],
    run: async (given) => (await import('./command/restore.ts')).restoreDatabase(given),
  },
  {
    name: 'months',
    summary: 'List the months of facts and postings, how large each is, and whether it can be taken away',
    options: { config: CONFIG },
    run: async (given) => (await import('./command/month.ts')).months(given),
  },
  {
    name: 'month take',
    summary: 'Write a month whose orders are done with into a file, and take it out of the database',
    operands: [{ takes: '<month>' }],
    options: {
      to: { takes: '<file>', says: 'the file that the month is written to', isNeeded: true },
      config: CONFIG,
    },
    details: [
      '<month> is like 2026-11. It is refused while an order of it, or of one before, is not final, has a case or a claim, or a payment',
      'or a fee of it is not settled. The file is read again before anything goes. Orders stay, and all that makes paying once true.',
    ],
    run: async (given) => (await import('./command/month.ts')).takeMonthAway(given),
  },
  {
    name: 'approve',
    summary: 'Say the second yes to a payment that waits for it',
    options: {
      key: { takes: '<file>', says: "the approver's private key, 64 hexadecimal digits", isNeeded: true },
      payment: { takes: '<text>', says: 'the text of the case approval_awaited, word for word', isNeeded: true },
    },
    details: ['Runs where the key is, which needs no other settings and no connection. The answer goes to the case.'],
    run: async (given) => (await import('./command/approve.ts')).approve(given),
  },
  {
    name: 'key new',
    summary: 'Make a key pair of an API, an engine or an approver, and show both halves once',
    details: ['Nothing is written: the private half goes to its owner, the public one to the settings of the signer.'],
    run: async (given) => (await import('./command/key.ts')).newKey(given),
  },
  {
    name: 'key rotate',
    summary:
      'Replace the key that hides session ids and API keys at rest; what was made under the old one still proves',
    options: { dir: DIR },
    details: [
      'Sessions, API keys, tracking links and webhook secrets of before hold until `wherry key retire`. Partners who are signed',
      'in sign in again, and pages of lists begin anew.',
    ],
    run: async (given) => (await import('./command/key.ts')).rotateKey(given),
  },
  {
    name: 'key retire',
    summary: 'End the keys that were replaced: what was made under them proves nothing any more',
    options: { dir: DIR },
    details: ['Open orders of sessions from before can then only be proven by their destination.'],
    run: async (given) => (await import('./command/key.ts')).retireKey(given),
  },
];
