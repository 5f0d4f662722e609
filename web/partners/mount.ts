import type { Site } from '../server/site.ts';
import { mountFees } from './fees.tsx';
import { mountHistory } from './history.tsx';
import { mountHome } from './home.tsx';
import { mountKeys } from './keys.tsx';
import { mountLimits } from './limits.tsx';
import { mountLinks } from './links.tsx';
import { mountPartnerOrders } from './orders.tsx';
import { mountOverview } from './overview.tsx';
import { mountSignIn } from './sign-in.tsx';
import { mountTeam } from './team.tsx';
import { mountWebhook } from './webhook.tsx';
import { mountWebhooks } from './webhooks.tsx';

/** The room of partners. */
export function mountPartners(site: Site): void {
  for (const mount of [
    ...[mountSignIn, mountHome, mountOverview, mountPartnerOrders, mountFees, mountKeys],
    ...[mountWebhooks, mountWebhook, mountLinks, mountTeam, mountLimits, mountHistory],
  ]) {
    mount(site);
  }
}
