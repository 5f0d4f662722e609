import { WherryError } from '../../sdk/src/index.ts';
import type { Trouble } from '../parts/field.tsx';
import type { View } from '../server/view.ts';

const RETRY_SECONDS = 60;

/** A refusal as what is wrong with a field; who may not be here at all is told so elsewhere. */
export function refusedAs({ words }: View, error: unknown, field: string): Trouble {
  if (!(error instanceof WherryError) || error.status >= 500) throw error;
  switch (error.code) {
    case 'not_signed_in':
    case 'forbidden':
    case 'not_found':
      throw error;
    case 'rate_limited':
      return { field: 'main', text: words.errors.rateLimited(error.retryAfter ?? RETRY_SECONDS) };
    case 'last_owner':
      return { field, text: words.team.lastOwner };
    case 'action_not_available':
      return { field, text: words.hooks.notActive };
    default:
      return { field, text: words.errors.other(error.message) };
  }
}
