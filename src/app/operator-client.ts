import { httpOutbound, type Outbound } from '../world/outbound/http.ts';
import { environment, readPrivately } from './config.ts';

/** Where operators are answered unless the settings say otherwise. */
const USUAL_URL = 'http://127.0.0.1:8081';

export interface OperatorClient {
  ask<T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T>;
}

/** The operator's own token: in WHERRY_OPERATOR_TOKEN, or in the file that WHERRY_OPERATOR_TOKEN_FILE or an option names. */
function tokenOf(file: string | undefined): string {
  const { WHERRY_OPERATOR_TOKEN: token, WHERRY_OPERATOR_TOKEN_FILE: named } = environment();
  const path = file ?? named;
  if (path !== undefined) return readPrivately(path).trim();
  if (token !== undefined) return token;
  throw new Error(
    'no operator is known: put your token into a file and name it by --token-file or WHERRY_OPERATOR_TOKEN_FILE',
  );
}

export function openOperatorClient(
  given: { readonly url: string | undefined; readonly tokenFile: string | undefined },
  outbound: Outbound = httpOutbound,
): OperatorClient {
  const url = (given.url ?? environment().WHERRY_OPERATOR_URL ?? USUAL_URL).replace(/\/$/, '');
  const headers = { authorization: `Bearer ${tokenOf(given.tokenFile)}`, 'content-type': 'application/json' };
  return {
    async ask<T>(method: 'GET' | 'POST', path: string, body?: object) {
      const reply = await outbound({
        ...{ at: 'operator', label: `${method} ${path.split('?', 1)[0]}`, url: url + path, method, headers },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      if (reply.status >= 200 && reply.status < 300) return JSON.parse(reply.body) as T;
      throw new Error(`the desk at ${url} answered ${reply.status}: ${wordsIn(reply.body)}`);
    },
  };
}

function wordsIn(body: string): string {
  try {
    return String((JSON.parse(body) as { error?: unknown }).error);
  } catch {
    return body.slice(0, 200);
  }
}
