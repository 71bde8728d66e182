import type { CredentialStore } from 'crosspoint/auth';
import type { ClientExtension, Root, Transport } from 'crosspoint/client';
import type { Store } from 'crosspoint/stores';
import type { AgentPart } from './agent/run.ts';
import type { AuditLogOptions } from './audit/audit-log.ts';
import type { HttpReach, InputDefinition, Reach, ServerEntry, StdioReach } from './config/server-entry.ts';
import type { Policy } from './consent/policy.ts';
import type { SamplingOptions } from './context/sampling.ts';
import type { Responder } from './inbox/responders/responder.ts';
import type { RetryOptions } from './servers/pacing.ts';
import type { SecretStore } from './secrets/secret-store.ts';
import type { Timeline } from './timeline/timeline.ts';

/** A server that the program names itself: a command, an address, or a transport that it makes. */
export type ProgramServer = (
  | Omit<StdioReach, 'type'>
  | (Omit<HttpReach, 'type'> & { readonly type?: HttpReach['type'] })
  | { readonly transport: () => Transport | Promise<Transport> }
) &
  Pick<ServerEntry, 'isDisabled' | 'isTrusted' | 'timeoutMs' | 'alwaysLoad' | 'revisions' | 'roots'>;

export interface HostOptions {
  /** Name and version of the program, which servers are told. */
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  /** Servers to begin with: entries of a configuration, or the program's own by name. */
  readonly servers?: readonly ServerEntry[] | Readonly<Record<string, ProgramServer>>;
  /** Keeps approvals, trust and the audit log; in memory when absent. */
  readonly store?: Store;
  /** Rules for everything that is decided; without any, the user is asked about every call. */
  readonly policy?: Policy;
  /** Tried in order before a person is asked. */
  readonly responders?: readonly Responder[];
  /** Milliseconds that a question waits for its answer; 10 minutes when absent. */
  readonly questionMs?: number;
  /** Milliseconds that a server has to connect and to list what it offers; 30 seconds when absent. */
  readonly connectMs?: number;
  readonly retry?: RetryOptions;
  /** The model that servers may ask; absent, servers cannot ask for sampling. */
  readonly sampling?: SamplingOptions;
  /** Runs a model with the tools of all servers, for `host.run`: `agent({ … })` of `@crosspoint/host/agent`. */
  readonly agent?: AgentPart;
  /** The folders that servers may ask for, by server; the `roots` of their entry when absent. The user agrees before a server is told. */
  readonly roots?: (server: string) => readonly Root[] | Promise<readonly Root[]>;
  /** Extensions that every client declares, such as `appsExtension`. */
  readonly extensions?: readonly ClientExtension[];
  /** Keeps the tokens of logins; in memory when absent. */
  readonly credentials?: CredentialStore;
  /** Definitions of the inputs that the configuration has. */
  readonly inputs?: readonly InputDefinition[];
  /** Keeps the secrets that configurations name and ask for; in memory when absent. See `openSecrets` of `@crosspoint/host/secrets`. */
  readonly secrets?: SecretStore;
  /** The folder that the user works in, for `${workspaceFolder}`. */
  readonly folder?: string;
  /** Opens a page that the user agreed to; the browser of this machine when absent. */
  readonly openUrl?: (url: URL) => void | Promise<void>;
  /** Seals the audit log, so that it cannot be written anew by those who have the store; see `createSecret`. */
  readonly auditKeys?: AuditLogOptions['keys'];
  /** Keeps a record of everything that led to something else: `timeline()` of `@crosspoint/host/timeline`. */
  readonly timeline?: Timeline;
  /** Told of problems that ended nothing. */
  readonly onproblem?: (problem: Error) => void;
}

/** Entries for the servers to begin with. */
export function entriesOf({ servers }: Pick<HostOptions, 'servers'>): readonly ServerEntry[] {
  if (servers === undefined) return [];
  return Array.isArray(servers)
    ? (servers as readonly ServerEntry[])
    : programEntries(servers as Record<string, ProgramServer>);
}

/** Entries for the servers that the program names itself. */
function programEntries(servers: Readonly<Record<string, ProgramServer>>): ServerEntry[] {
  return Object.entries(servers).map(([name, server]) => programEntry(name, server));
}

export function programEntry(name: string, server: ProgramServer): ServerEntry {
  const { isDisabled, isTrusted, timeoutMs, alwaysLoad, revisions, roots, ...reach } = server;
  const given = { isDisabled, isTrusted, timeoutMs, alwaysLoad, revisions, roots };
  const kept = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { name, reach: reachOf(name, reach), origin: { format: 'program', scope: 'program' }, ...kept };
}

function reachOf(name: string, given: object): Reach {
  if ('transport' in given && typeof given.transport === 'function')
    return { type: 'transport', open: given.transport as () => Transport };
  if ('command' in given && typeof given.command === 'string')
    return { type: 'stdio', ...(given as Omit<StdioReach, 'type'>) };
  if ('url' in given && typeof given.url === 'string') return { type: 'http', ...(given as Omit<HttpReach, 'type'>) };
  throw new TypeError(
    `The server "${name}" has neither a command, nor a url, nor a transport: { command: 'node', args: ['server.mjs'] } or { url: 'https://example.com/mcp' }.`,
  );
}
