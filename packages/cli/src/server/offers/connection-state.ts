import type { Host, HostEvent } from '@crosspoint/host';
import { LogLines } from './log-lines.ts';
import { ChosenLevel } from './logs.ts';
import type { LogLine } from './offer-operations.ts';
import { TypedFolders } from './roots.ts';

/** Everything that belongs to one connection beside its host: the last lines of its logs, the level that was chosen, and the folders that were typed. */
export class ConnectionState {
  readonly logs: LogLines = new LogLines();
  readonly folders: TypedFolders = new TypedFolders();
  readonly level: ChosenLevel;
  readonly #server: string;

  constructor(host: Host, server: string) {
    this.level = new ChosenLevel(host, server);
    this.#server = server;
  }

  /** Takes an event of the host. Returns the line of a log that it is; `undefined` where it is none. */
  happened(event: HostEvent): LogLine | undefined {
    if (!('server' in event) || event.server !== this.#server) return undefined;
    if (event.type === 'server') this.level.serverIs(event.state);
    const line = lineOf(event);
    if (line !== undefined) this.logs.add(line);
    return line;
  }
}

function lineOf(event: HostEvent): LogLine | undefined {
  const at = new Date().toISOString();
  if (event.type === 'stderr') return { type: 'stderr', at, line: event.line };
  if (event.type !== 'log') return undefined;
  const { level, logger, data } = event;
  return { type: 'log', at, level, ...(logger !== undefined && { logger }), data };
}
