import { Facts } from '../parts/notice.tsx';
import type { Site } from '../server/site.ts';
import { showSeconds } from '../server/view.ts';
import { roomPage, roomsOn } from './room.tsx';

/** What may be asked for, and how much of it is used. */
export function mountLimits(site: Site): void {
  roomsOn(site).get('/limits', async (visit, room) => {
    const { view, partner } = visit;
    const { limits } = view.words;
    const { access } = await partner.report(room.integration.integrationId);
    const { clientIpForwarding: forwarding, attribution, defaults } = access;
    // Zero disables that one limit.
    const shown = (n: number) => (n === 0 ? limits.none : `${n}`);
    const beside = (n: number, usual: number) =>
      n === usual ? shown(n) : `${shown(n)} (${limits.usual(shown(usual))})`;
    const isFull = access.limits.maxOpenOrders > 0 && access.openOrders >= access.limits.maxOpenOrders;
    return roomPage(visit, room, {
      name: 'limits',
      title: limits.title,
      lead: limits.line,
      children: (
        <>
          <section class="card">
            <Facts
              look="brief"
              rows={[
                [
                  limits.open,
                  <span class={isFull ? 'off' : undefined}>
                    {limits.openOf(access.openOrders, shown(access.limits.maxOpenOrders))}
                    {access.limits.maxOpenOrders > 0 && (
                      <progress value={access.openOrders} max={access.limits.maxOpenOrders} aria-label={limits.open} />
                    )}
                  </span>,
                ],
                [limits.requests, beside(access.limits.requestLimitPerMin, defaults.requestLimitPerMin)],
                [limits.quotes, shown(access.quoteLimitPerMin)],
                [limits.creates, beside(access.limits.createLimitPerMin, defaults.createLimitPerMin)],
                [limits.perKey, shown(access.keyRequestLimitPerMin)],
                [limits.window, showSeconds(view, access.openOrderWindowMinutes * 60)],
              ]}
            />
          </section>
          <section class="card">
            <h2>{limits.endUsers}</h2>
            <Facts
              look="brief"
              rows={[
                [limits.forwarding(forwarding.header), forwarding.enabled ? limits.on : limits.off],
                [limits.attribution(attribution.windowDays), `${attribution.totalOrders}`],
                [limits.attributed, `${attribution.attributedOrders}`],
                [limits.distinct, `${attribution.distinctIps}`],
              ]}
            />
            {forwarding.enabled && (
              <>
                <h3>{limits.perUser}</h3>
                <Facts
                  look="brief"
                  rows={[
                    [limits.requests, shown(forwarding.limits.requestLimitPerMin)],
                    [limits.creates, shown(forwarding.limits.createLimitPerMin)],
                    [limits.open, shown(forwarding.limits.maxOpenOrders)],
                  ]}
                />
              </>
            )}
          </section>
        </>
      ),
    });
  });
}
