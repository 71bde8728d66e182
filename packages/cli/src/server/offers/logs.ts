import type { Client, LoggingLevel } from 'crosspoint/client';
import type { Host, ServerState } from '@crosspoint/host';
import type { ResultOf } from '../operations.ts';
import type { Work } from '../work.ts';
import { aborted, connectedClient } from './connected-client.ts';

/** Tells kept lines; new ones come as events of themselves while an operation runs, so that none is lost or told twice between the two. */
export async function followLogs({
  state: { logs },
  params: { last, follow },
  signal,
  onevent,
}: Work<'logs.follow'>): Promise<object> {
  for (const line of logs.last(last)) onevent?.(line);
  if (follow) await aborted(signal);
  return {};
}

export async function setLogLevel(work: Work<'logs.level'>): Promise<ResultOf<'logs.level'>> {
  const { level } = work.params;
  const client = await connectedClient(work, 'logging');
  await client.setLoggingLevel(level);
  work.state.level.keep(level, client);
  return { level, by: client.family === 'handshake' ? 'session' : 'request' };
}

/** The level that the user chose: it is set again where the server was started anew, which brings another client. */
export class ChosenLevel {
  readonly #host: Host;
  readonly #server: string;
  #level: LoggingLevel | undefined;
  #client: Client | undefined;

  constructor(host: Host, server: string) {
    this.#host = host;
    this.#server = server;
  }

  keep(level: LoggingLevel, client: Client): void {
    this.#level = level;
    this.#client = client;
  }

  serverIs({ status }: ServerState): void {
    const { client } = this.#host.servers.get(this.#server) ?? {};
    const isUsable = status === 'ready' || status === 'degraded';
    if (!isUsable || this.#level === undefined || client === undefined || client === this.#client) return;
    this.#client = client;
    // A server that refuses now what it took before logs as it likes.
    client.setLoggingLevel(this.#level).catch(() => {});
  }
}
