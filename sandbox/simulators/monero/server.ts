import type { Secret } from '../../../src/kernel/secret.ts';
import type { Login } from '../../../src/world/outbound/login.ts';
import { answerBody, methodOf, type RpcServer, type Said, serveText } from '../rpc-server.ts';
import { digestDoor } from './digest-door.ts';

export type Params = Readonly<Record<string, unknown>>;
/** Answers may hold bigints: they go out as the long JSON numbers that the real servers write. */
export type Method = (params: Params) => unknown;

export interface Protocol {
  /** Under /json_rpc. */
  readonly methods: Readonly<Record<string, Method>>;
  /** Each at a path of its own, without the envelope. */
  readonly paths: Readonly<Record<string, Method>>;
}

/** With a login, only who proves to know it is answered. */
export function serve({ methods, paths }: Protocol, login?: Secret<Login>, port = 0): Promise<RpcServer> {
  const turnAway = login ? digestDoor(login.reveal()) : () => undefined;
  const answer = (text: string, path: string): Said => {
    const plain = methodOf(paths, path.slice(1));
    if (plain) {
      const params = parsed(text);
      return params ? [200, longNumbers(plain(params))] : [400, ''];
    }
    if (path !== '/json_rpc') return [404, '{}'];
    return [200, longNumbers(answerBody(text, methods, { params: {}, result: {} }))];
  };
  return serveText((text, request) => turnAway(request) ?? answer(text, request.url ?? ''), { port });
}

/** No text of the protocol looks like this, so that quotes can be taken off again after JSON has put them on. */
const MARK = '#bigint:';

function longNumbers(answer: unknown): string {
  const text = JSON.stringify(answer, (_, value) => (typeof value === 'bigint' ? `${MARK}${value}` : value));
  return text.replace(new RegExp(`"${MARK}(\\d+)"`, 'g'), '$1');
}

function parsed(text: string): Params | undefined {
  try {
    return (JSON.parse(text || '{}') ?? {}) as Params;
  } catch {
    return undefined;
  }
}
