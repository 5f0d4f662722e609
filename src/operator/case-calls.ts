import type { CaseDesk } from '../engine/case-desk.ts';
import { isoTime } from '../kernel/clock.ts';
import { refuse } from '../kernel/refusal.ts';
import type { ByHand } from '../life/payment/payment.ts';
import type { Cases, OpenCase } from '../store/cases.ts';
import { guideFor } from './case-guide.ts';
import type { CallName } from './guide.ts';
import { call, exact, Line, Reason, type Room } from './operator-call.ts';

export interface CaseCallsDeps {
  readonly cases: Cases;
  readonly caseDesk: CaseDesk;
}

const CaseParams = exact({ id: Line(20) });
const Signed = exact({ reason: Reason });
const Settlement = exact({ txHash: Line(200), reason: Reason });
const SecondYes = exact({ approval: Line(128), reason: Reason });

/** What each call takes, for programs; complete by type. */
const BODIES: { readonly [N in CallName]: Readonly<Record<string, 'string'>> | undefined } = {
  close: { by: 'string', reason: 'string' },
  retry: undefined,
  'send-again': undefined,
  'raise-fee': undefined,
  'give-back': { by: 'string', reason: 'string' },
  settle: { txHash: 'string', by: 'string', reason: 'string' },
  adopt: { by: 'string', reason: 'string' },
  approve: { approval: 'string', by: 'string', reason: 'string' },
};

const pathOf = (id: string, name: CallName): string => `/operator/cases/${id}/${name}`;

/** What needs a person, and what that person can have done about it. */
export function caseCalls(room: Room, { cases, caseDesk }: CaseCallsDeps): void {
  /** The calls that help in this very case. Not every chain lets us outbid what we sent. */
  const fitting = async (open: OpenCase): Promise<readonly CallName[]> => {
    const { about } = open;
    const { calls } = guideFor(about);
    const mayClose = await caseDesk.mayClose(open);
    const canOutbid = !calls.includes('raise-fee') || (await caseDesk.canOutbid(about));
    // What is missing on a deposit address belongs to its customer: nobody can book it away.
    const canAdopt = about.case === 'drift' && about.deposit === undefined;
    const fits: Partial<Record<CallName, boolean>> = { 'raise-fee': canOutbid, adopt: canAdopt, close: mayClose };
    return calls.filter((name) => fits[name] ?? true);
  };

  const shown = async (open: OpenCase) => {
    const { id, owner, about, since } = open;
    const calls = (await fitting(open)).map((name) => {
      const body = BODIES[name];
      return { method: 'POST', path: pathOf(id, name), ...(body ? { body } : {}) };
    });
    const orderId = owner === 'treasury' ? undefined : owner;
    return { id, orderId, case: about.case, about, since: isoTime(since), ...guideFor(about), calls };
  };

  call(room, {
    method: 'GET',
    path: '/operator/cases',
    run: async () => ({ cases: await Promise.all((await cases.list()).map(shown)) }),
  });

  /** Finds the case and does the work, if that is one of the things that help in it. */
  const about = async (id: string, name: CallName, work: (open: OpenCase) => ReturnType<CaseDesk['retry']>) => {
    const open = /^[1-9][0-9]{0,17}$/.test(id) ? await cases.find(id) : undefined;
    if (!open) return refuse('not_found', 'There is no such open case.');
    const fits = await fitting(open);
    if (fits.includes(name)) return work(open);
    const why =
      name === 'close'
        ? 'Money is still owed, or blocked, and this case is the only way to it: it closes by itself when that is over'
        : `A case of ${open.about.case} has no ${name}`;
    return refuse('action_not_available', `${why}; what helps is: ${fits.join(', ')}.`);
  };

  const plainCall = (name: CallName, work: (open: OpenCase) => ReturnType<CaseDesk['retry']>): void =>
    call(room, {
      method: 'POST',
      path: `/operator/cases/:id/${name}`,
      params: CaseParams,
      run: ({ params: { id } }) => about(id, name, work),
    });
  plainCall('retry', caseDesk.retry);
  plainCall('send-again', caseDesk.sendAgain);
  plainCall('raise-fee', caseDesk.raiseFee);

  const signedCall = (name: CallName, work: (open: OpenCase, byHand: ByHand) => ReturnType<CaseDesk['retry']>): void =>
    call(room, {
      method: 'POST',
      path: `/operator/cases/:id/${name}`,
      params: CaseParams,
      body: Signed,
      isSigned: true,
      run: ({ params: { id }, body: { reason }, by }) => about(id, name, (open) => work(open, { by, reason })),
    });
  signedCall('give-back', caseDesk.giveBack);
  signedCall('adopt', caseDesk.adopt);
  signedCall('close', async ({ id }, { by, reason }) => {
    const closed = await cases.close(id, by, reason);
    return closed ? { asked: `closed by ${by}` } : refuse('not_found', 'There is no such open case.');
  });

  call(room, {
    method: 'POST',
    path: '/operator/cases/:id/settle',
    params: CaseParams,
    body: Settlement,
    isSigned: true,
    run: ({ params: { id }, body: { txHash, reason }, by }) =>
      about(id, 'settle', (open) => caseDesk.settle(open, txHash, { by, reason })),
  });

  call(room, {
    method: 'POST',
    path: '/operator/cases/:id/approve',
    params: CaseParams,
    body: SecondYes,
    isSigned: true,
    run: ({ params: { id }, body: { approval, reason }, by }) =>
      about(id, 'approve', (open) => caseDesk.approve(open, approval, { by, reason })),
  });
}
