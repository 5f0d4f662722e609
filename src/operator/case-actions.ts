/** What a person can do about a case. Data, so that the list of cases explains itself. */
export interface CaseGuide {
  readonly meaning: string;
  readonly actions: readonly string[];
}

const LOOK = 'read GET /operator/orders/{id}: history, ledger, attempts and why it is where it is';

/** The first guide whose words occur in the reason. */
const GUIDES: readonly (CaseGuide & { readonly words: RegExp })[] = [
  {
    words: /has left the chain/,
    meaning: 'A deposit was credited, and the chain reorganised it away after it had been used.',
    actions: [
      LOOK,
      'open the breaker chain:<id> if the node may be forked, and compare its tip with another node',
      'wait: the same transfer usually is mined again and closes the gap by itself',
      'if it was spent elsewhere, cover the loss from the treasury and record why',
    ],
  },
  {
    words: /^webhook .* is disabled/,
    meaning: 'A partner’s endpoint took nothing for three days; what happens meanwhile is not told to it.',
    actions: [
      'tell the partner, whose deliveries say what was wrong (GET …/webhooks/{webhookId}/deliveries)',
      'the partner makes it active again (PATCH { status: "active" }), which closes this case, and resends what failed',
    ],
  },
  {
    words: /second payout address was refused/,
    meaning: 'The payout chain refused both destinations of this order; nothing was sent.',
    actions: [
      LOOK,
      'ask the customer for a refund address and let the deposit go back',
      'check that the payout token is not paused or frozen as a whole',
    ],
  },
  {
    words: /(gas|sweep) refused/,
    meaning: 'The deposit cannot be moved from the address on which it lies.',
    actions: [
      LOOK,
      'check whether the token froze the deposit address, and ask its issuer if so',
      'top up the gas of the hot account if it is short',
    ],
  },
  {
    words: /refund.* refused/,
    meaning: 'The chain refused the refund address; the money is still here and still owed.',
    actions: [LOOK, 'ask the customer for another address, proven to be theirs, and refund by hand'],
  },
  {
    words: /less than the fees/,
    meaning: 'The trade yielded less than the fixed fees, so that nothing is left to be paid out.',
    actions: [LOOK, 'compare the fills with the quote', 'refund from the earned fees if the loss was not the market'],
  },
  {
    words: /without an address/,
    meaning: 'A refund became due although nobody had named an address.',
    actions: [LOOK, 'report it: this cannot happen by the rules', 'refund by hand once the customer named an address'],
  },
  {
    words: /^provider \S+ failed order/,
    meaning: 'A provider took the funding and says that it failed, or nothing came long after its deadline.',
    actions: [
      LOOK,
      'ask the provider about its order, with the funding transaction; what it delivers or refunds later is taken up by itself',
      'open the breaker provider:<name> if it repeats: it gets nothing new, and what it has is followed to its end',
    ],
  },
  {
    words: /in place of what was agreed/,
    meaning:
      'A provider delivered another asset than was agreed; it is paid as it is, or owed to an address of the customer.',
    actions: [LOOK, 'ask the provider why; open the breaker provider:<name> if it repeats'],
  },
  {
    words: /mining reward/,
    meaning: 'A miner was paid at a deposit address; such coins cannot be carried out and are returned by hand.',
    actions: [
      LOOK,
      'ask the customer for an address, shield or wait as the chain demands, and return the coins by hand',
    ],
  },
  {
    words: /drift|ledger/,
    meaning: 'What an account holds differs from what the ledger says.',
    actions: [
      'read GET /operator/ledger and open the breaker payouts if something is missing',
      'compare the transactions of the account with the intents since the last agreement',
    ],
  },
  {
    words: /short|inventory|balance/,
    meaning: 'An account of ours holds too little to go on.',
    actions: [
      'read GET /operator/ledger',
      'send funds to the hot account or the venue account; work goes on by itself',
    ],
  },
];

const UNKNOWN: CaseGuide = {
  meaning: 'The engine met something it does not decide by itself.',
  actions: [LOOK, 'open a breaker for the scope concerned if it repeats'],
};

export function guideFor(reason: string): CaseGuide {
  const { meaning, actions } = GUIDES.find(({ words }) => words.test(reason)) ?? UNKNOWN;
  return { meaning, actions };
}
