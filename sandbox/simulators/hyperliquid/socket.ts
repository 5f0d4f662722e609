import type { WebSocket } from 'ws';
import { bookWire, userFills, userUpdates } from './info.ts';
import { COIN, type Simulation } from './state.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Subscription {
  readonly socket: WebSocket;
  readonly id: string;
  /** Sends what is new since the last time. */
  readonly push: () => void;
}

/** Streams for those who listen: each subscription remembers how far it has read. */
export function streams(sim: Simulation) {
  const open = new Set<Subscription>();

  const unsubscribe = (socket: WebSocket, id?: string): void => {
    for (const one of open) if (one.socket === socket && (id === undefined || one.id === id)) open.delete(one);
  };

  const subscribe = (socket: WebSocket, wanted: Fields): void => {
    const push = stream(sim, wanted, (channel, data) => send(socket, channel, data));
    if (!push) {
      send(socket, 'error', `Invalid subscription ${JSON.stringify(wanted)}`);
      return;
    }
    send(socket, 'subscriptionResponse', { method: 'subscribe', subscription: wanted });
    open.add({ socket, id: JSON.stringify(wanted), push });
    push();
  };

  const receive = (socket: WebSocket, text: string): void => {
    const message = readMessage(text);
    const wanted = message?.subscription;
    if (message?.method === 'ping') send(socket, 'pong');
    else if (message?.method === 'subscribe' && isFields(wanted)) subscribe(socket, wanted);
    else if (message?.method === 'unsubscribe' && isFields(wanted)) {
      unsubscribe(socket, JSON.stringify(wanted));
      send(socket, 'subscriptionResponse', { method: 'unsubscribe', subscription: wanted });
    } else send(socket, 'error', `Error parsing JSON into valid websocket request: ${text.slice(0, 200)}`);
  };

  return {
    accept(socket: WebSocket): void {
      socket.on('message', (data) => receive(socket, String(data)));
      socket.on('close', () => unsubscribe(socket));
      // Whoever sends what is no frame is closed by the library; unheard, his error would end the whole process.
      socket.on('error', () => undefined);
    },
    publish(): void {
      for (const { push } of open) push();
    },
  };
}

function stream(
  sim: Simulation,
  wanted: Fields,
  emit: (channel: string, data: unknown) => void,
): (() => void) | undefined {
  const user = String(wanted.user).toLowerCase();
  switch (wanted.type) {
    case 'l2Book':
      return wanted.coin === COIN ? () => emit('l2Book', bookWire(sim)) : undefined;
    case 'userFills':
      return tail(
        () => userFills(sim, user),
        (fills, isFirst) => emit('userFills', { user, fills, ...(isFirst ? { isSnapshot: true } : {}) }),
      );
    case 'userNonFundingLedgerUpdates':
      return tail(
        () => userUpdates(sim, user),
        (rows, isFirst) =>
          emit('userNonFundingLedgerUpdates', {
            user,
            nonFundingLedgerUpdates: rows,
            ...(isFirst ? { isSnapshot: true } : {}),
          }),
      );
    case 'orderUpdates':
      return tail(
        () => sim.orderEvents.filter((event) => event.user === user).map((event) => event.wire),
        (events, isFirst) => {
          if (!isFirst) emit('orderUpdates', events);
        },
      );
    default:
      return undefined;
  }
}

/** The first reading is the snapshot, empty or not; later ones carry only what was added. */
function tail<T>(read: () => readonly T[], emit: (added: readonly T[], isFirst: boolean) => void): () => void {
  let seen = -1;
  return () => {
    const all = read();
    const added = all.slice(Math.max(seen, 0));
    if (seen === -1 || added.length > 0) emit(added, seen === -1);
    seen = all.length;
  };
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

function readMessage(text: string): Fields | undefined {
  try {
    const message: unknown = JSON.parse(text);
    return isFields(message) ? message : undefined;
  } catch {
    return undefined;
  }
}

function send(socket: WebSocket, channel: string, data?: unknown): void {
  socket.send(JSON.stringify(data === undefined ? { channel } : { channel, data }));
}
