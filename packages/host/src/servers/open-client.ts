import { Client, type ClientMiddleware, type Transport } from 'crosspoint/client';
import { StdioClientTransport } from 'crosspoint/client/stdio';
import type { HttpReach, Reach, ServerEntry, StdioReach, TransportReach } from '../config/server-entry.ts';
import { orAborted } from '../values/guard.ts';
import { createServerLogin } from './login.ts';
import type { ServerPort } from './server-port.ts';
import type { StderrTail } from './stderr-tail.ts';

/** Pings that keep a lost connection from being taken for a quiet one. */
const HEARTBEAT = { intervalMs: 30_000, failures: 2 };

export interface OpenEvents {
  readonly signal: AbortSignal;
  readonly stderr: StderrTail;
  /** The connection has ended; with its cause, where there is one. */
  onend(cause: Error | undefined): void;
  /** The server waits for a login of the user, or no longer does. */
  onlogin(isWaiting: boolean): void;
  onlistchange(): void;
}

/** Connects a new client to a server. Rejects when that fails; nothing is left running then. */
export async function openClient(
  entry: ServerEntry,
  reach: Reach,
  port: ServerPort,
  events: OpenEvents,
): Promise<Client> {
  const onChanged = (): void => events.onlistchange();
  // Told at once: a call must not be sent under a definition that the server has withdrawn. Many changes are one reading in the host.
  const changed = { onChanged, autoRefresh: false, debounceMs: 0 };
  const client = new Client(port.info, {
    heartbeat: HEARTBEAT,
    ...port.clientOptions(entry),
    ...(entry.revisions !== undefined && { revisions: entry.revisions }),
    timeouts: {
      connectMs: port.connectMs,
      ...(entry.timeoutMs !== undefined && { idleMs: entry.timeoutMs }),
    },
    listChanged: { tools: changed, prompts: changed, resources: changed },
    onproblem: (problem) => port.onproblem(entry.name, problem),
  });
  port.prepare(client, entry);
  let cause: Error | undefined;
  const follow: ClientMiddleware = (_, next) => next();
  follow.onconnection = () => (error) => {
    cause = error;
  };
  client.use(follow);
  const target = await targetOf(entry, reach, port, events);
  let isOpen = false;
  client.onclose = () => {
    if (isOpen) events.onend(failureOf(target) ?? cause);
  };
  try {
    await client.connect(target, { signal: events.signal });
  } catch (error) {
    await client.close();
    throw error;
  }
  isOpen = true;
  return client;
}

type Target = Parameters<Client['connect']>[0];

async function targetOf(entry: ServerEntry, reach: Reach, port: ServerPort, events: OpenEvents): Promise<Target> {
  switch (reach.type) {
    case 'stdio':
      return childOf(entry, reach, port, events);
    case 'http':
    case 'sse':
      return addressOf(entry, reach, port, events);
    case 'transport':
      return opened(entry, reach, port, events);
  }
}

/** A transport of the program, within the time for connecting: its function may never settle. */
function opened(entry: ServerEntry, reach: TransportReach, port: ServerPort, events: OpenEvents): Promise<Transport> {
  const late = new AbortController();
  const text = `The transport of "${entry.name}" was not there after ${port.connectMs} ms.`;
  const timer = setTimeout(() => late.abort(new Error(text)), port.connectMs);
  const work = Promise.resolve().then(() => reach.open());
  return orAborted(work, AbortSignal.any([events.signal, late.signal])).finally(() => clearTimeout(timer));
}

function childOf(entry: ServerEntry, reach: StdioReach, port: ServerPort, { stderr }: OpenEvents): Transport {
  const { command, args = [], env = {}, cwd } = reach;
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value ?? undefined])),
    ...(cwd !== undefined && { cwd }),
    stderr: 'pipe',
  });
  stderr.follow(transport.stderr, (line) => port.onstderr(entry.name, line));
  return transport;
}

function addressOf(entry: ServerEntry, reach: HttpReach, port: ServerPort, events: OpenEvents): Target {
  const login = createServerLogin(entry.name, reach, port, {
    signal: events.signal,
    onwaiting: (isWaiting) => events.onlogin(isWaiting),
  });
  const send = port.tracing?.fetchOf(entry.name, reach.url, port.fetch ?? fetch) ?? port.fetch;
  return {
    url: reach.url,
    authProvider: login,
    ...(reach.headers !== undefined && { requestInit: { headers: { ...reach.headers } } }),
    ...(reach.type === 'sse' && { transport: 'sse' as const }),
    ...(send !== undefined && { fetch: send }),
  };
}

/** How a child ended, where the target was one. */
function failureOf(target: Target): Error | undefined {
  return typeof target === 'object' && 'lastFailure' in target && target.lastFailure instanceof Error
    ? target.lastFailure
    : undefined;
}
