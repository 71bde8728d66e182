import type { ConnectOptions, HttpTarget, Transport } from 'crosspoint/client';
import { recordSession, type SessionWriter } from '@crosspoint/recording';
import { tapMessages } from 'crosspoint/server/relaying';
import { upstreamAt } from './upstream/http-upstream.ts';
import type { Upstream } from './upstream/upstream.ts';

type Sink = Parameters<typeof recordSession>[0];
type Options = NonNullable<Parameters<typeof recordSession>[1]>;
type Tap = ReturnType<typeof tapMessages>;

/** Writes both sides of a bridge into one session file. Made with `record`. */
export interface BridgeRecorder {
  /** Taps the side of the clients: `handler` for `tap` of `createMcpHandler`, `transport` for every other transport, before it is connected. */
  readonly down: Tap;
  /** Taps a transport to a server before it is connected, and returns it. The hop is `server` unless it is named. */
  up<T extends Transport>(transport: T, hop?: string): T;
  /** The same server, with every connection to it recorded. */
  upstream(upstream: string | URL | HttpTarget | Upstream, hop?: string): Upstream;
  /** Writes a line that a server wrote to stderr. */
  stderr(text: string, hop?: string): void;
  /** The file, for lines of the program's own. */
  readonly session: SessionWriter;
  /** Writes the last line and waits until the sink has taken everything, for 5 seconds at most. The sink stays open. */
  close(): ReturnType<SessionWriter['close']>;
}

const CLIENT = 'client';
const SERVER = 'server';

/**
 * Records what passes a bridge, on the side of the clients and on that of the server, with secrets masked. `readSession` of `@crosspoint/recording` reads the file.
 *
 * ```ts
 * const file = createWriteStream('session.jsonl', { mode: 0o600 });
 * const recorder = record(file, { secrets: [apiKey] });
 * const face = bridge(recorder.upstream('https://mcp.example.com/mcp'));
 * createServer(createMcpHandler(face, { tap: recorder.down.handler }).node).listen(3000, '127.0.0.1');
 * ```
 */
export function record(sink: Sink, options: Options = {}): BridgeRecorder {
  const session = recordSession(sink, { by: { name: '@crosspoint/gateway' }, ...options });
  const connections = new Connections(session);
  const up = <T extends Transport>(transport: T, hop: string = SERVER): T =>
    connections.watch(transport, { hop, isClientSide: true });
  return {
    session,
    down: {
      handler: connections.tap({ hop: CLIENT, isClientSide: false }).handler,
      transport: (transport) => connections.watch(transport, { hop: CLIENT, isClientSide: false }),
    },
    up,
    upstream: (given, hop) => recordedUpstream(upstreamAt(given), (transport) => up(transport, hop)),
    stderr: (text, hop = SERVER) => session.write({ kind: 'stderr', hop, text }),
    close: () => session.close(),
  };
}

interface Place {
  readonly hop: string;
  /** Whether the recorder stands on the side of the client, so that sent messages go to the server. */
  readonly isClientSide: boolean;
}

/** The connections of one file, which are numbered. */
class Connections {
  readonly #session: SessionWriter;
  #count = 0;

  constructor(session: SessionWriter) {
    this.#session = session;
  }

  tap({ hop, isClientSide }: Place, connection?: () => number): Tap {
    const outwards = isClientSide ? 'server' : 'client';
    const inwards = isClientSide ? 'client' : 'server';
    return tapMessages((direction, message, { sessionId }) =>
      this.#session.write({
        kind: 'message',
        hop,
        to: direction === 'sent' ? outwards : inwards,
        ...(connection && { connection: connection() }),
        ...(sessionId !== undefined && { session: sessionId }),
        message,
      }),
    );
  }

  /** Taps a transport, and notes when it is opened and closed. Each start of it is a connection. */
  watch<T extends Transport>(transport: T, place: Place): T {
    const { hop } = place;
    let connection = 0;
    const start = transport.start.bind(transport);
    const { onclose } = transport;
    transport.start = () => {
      connection = this.#count += 1;
      this.#session.write({ kind: 'connected', hop, connection });
      return start();
    };
    transport.onclose = () => {
      this.#session.write({ kind: 'closed', hop, connection });
      onclose?.();
    };
    return this.tap(place, () => connection).transport(transport);
  }
}

/** The bridge makes a client for each connection, so the client can be told to have its transports tapped. */
function recordedUpstream(upstream: Upstream, tap: NonNullable<ConnectOptions['tap']>): Upstream {
  const connect: Upstream['connect'] = (client, caller, signal) => {
    const plain = client.connect.bind(client);
    client.connect = (target, options) => plain(target, { ...options, tap });
    return upstream.connect(client, caller, signal);
  };
  return new Proxy(upstream, {
    get: (target, name) => {
      if (name === 'connect') return connect;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
