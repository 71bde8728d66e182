import { runningClock, type Clock } from '../peer/clock.ts';
import type { HeartbeatOptions } from '../peer/heartbeat.ts';
import type { Limits } from '../peer/limiter.ts';
import type { ClientCapabilities } from '../protocol/capabilities.ts';
import type { LoggingMessage } from '../protocol/logging.ts';
import { selectRevisions, type RevisionChoice, type SpokenRevisions } from '../revisions/selection.ts';
import { isRestartable, type Transport } from '../transports/transport.ts';
import { tasksExtension } from '../extensions/tasks/tasks-extension.ts';
import type { CacheOptions } from './calls/cache.ts';
import { ClientExtensions, type ClientExtension } from './client-extensions.ts';
import { reconnectPolicy, type ReconnectOptions } from './connecting/healing.ts';
import type { LinkOptions } from './connecting/link.ts';
import type { ListChangedHandlers } from './watching/list-refresher.ts';
import type { ListLimits } from './calls/listing.ts';
import type { JsonSchemaValidatorProvider } from '../schema/from-json-schema.ts';
import { revisionsOf, type VersionNegotiationOptions } from './connecting/version-negotiation.ts';
import type { OutputValidation } from './calls/output-checks.ts';
import type { DefaultTimers, InputMode } from './calls/request-options.ts';
import type { ReceivedTaskOptions } from './tasks/received-tasks.ts';
import { processVerdicts, type VerdictMemory } from './connecting/verdicts.ts';

/** Timeouts in milliseconds; 0 means no limit. */
export interface ClientTimeouts {
  /** From the start of the transport until the revision is agreed on; 30 000 when absent. */
  readonly connectMs?: number;
  /** How long `server/discover` may stay unanswered before the server counts as one with a handshake; 2500 when absent. */
  readonly probeMs?: number;
  /** Longest silence during a request; progress restarts it, and a question of the server that waits for its answer holds it. 60 000 when absent. */
  readonly idleMs?: number;
  /** Longest duration of a request, progress or not; unlimited when absent. */
  readonly totalMs?: number;
}

/**
 * Options of a client.
 *
 * ```ts
 * new Client({ name: 'my-client', version: '1.0.0' }, { capabilities: { elicitation: {} }, timeouts: { connectMs: 5000 } });
 * ```
 */
export interface ClientOptions {
  /** Capabilities to declare, such as `sampling`, `elicitation` and `roots`. */
  readonly capabilities?: ClientCapabilities;
  /** Revisions to speak, or one family; all of them when absent. */
  readonly revisions?: RevisionChoice;
  /** The same choice in the official SDK's shape; `revisions` takes precedence. */
  readonly versionNegotiation?: VersionNegotiationOptions;
  /** Time limits: `{ connectMs: 5000, idleMs: 30_000 }`. */
  readonly timeouts?: ClientTimeouts;
  /** Pings the server at intervals and closes a connection that does not answer; off when absent. */
  readonly heartbeat?: HeartbeatOptions;
  /**
   * Whether and how to reconnect. `true` or options: a server process that exited is started again, where the transport can. Absent: only
   * lost HTTP sessions are renewed, which starts no process. `false`: never.
   */
  readonly reconnect?: ReconnectOptions | boolean;
  /**
   * Memory of servers (family, revision, transport), so that the next connect skips probing. All clients of the process
   * share one memory when absent.
   */
  readonly verdicts?: VerdictMemory;
  /**
   * Reaction to structured output that does not match the tool's schema; `warn` when absent, so that the result of a call that ran is not
   * lost. With `error`, tools are listed before the first call of one that is not known yet.
   */
  readonly outputValidation?: OutputValidation;
  /** Validates structured results instead of the built-in validator. */
  readonly jsonSchemaValidator?: JsonSchemaValidatorProvider;
  /** Callbacks for changed lists, with the new items. */
  readonly listChanged?: ListChangedHandlers;
  /** Reuse of results that the server marked cacheable. `false` turns it off. */
  readonly cache?: CacheOptions | false;
  /** Reaction to a server that asks for input inside a result: `auto`, the default, answers with the request handlers. */
  readonly inputRequired?: InputMode;
  /**
   * `true`: the handlers pass questions on to others, so neither the form of a question nor whether the answer fits is checked; only the capability must be
   * declared. When absent, an answer that does not fit its question is the program's mistake and is not sent.
   */
  readonly relayed?: boolean;
  /** How many rounds of questions one call may have; 10 when absent. */
  readonly maxRounds?: number;
  /** Reject requests for which the server declared no capability, before they are sent. */
  readonly enforceStrictCapabilities?: boolean;
  /** Rate limits for the server: requests above them are refused, notifications dropped. Each method given here replaces its default. */
  readonly limits?: Limits;
  /** Limits for the lists of a server; a longer list rejects with `too-large`. */
  readonly lists?: ListLimits;
  /** Notifications without params that are sent once when several are sent in the same turn. */
  readonly debouncedNotificationMethods?: readonly string[];
  /**
   * Whether to declare the tasks extension, which allows a server to answer a call with a task; the call then waits for the task to end.
   * `true` when absent.
   */
  readonly tasks?: boolean;
  /** Extensions to declare and use. */
  readonly extensions?: readonly ClientExtension[];
  /** Storage for tasks that the server asks for, where `capabilities.tasks` is declared. */
  readonly receivedTasks?: ReceivedTaskOptions;
  /** Called with problems that ended no request and no connection. */
  readonly onproblem?: (problem: Error) => void;
  /** Called when the server reports that a page opened by an elicitation is finished. Unknown and repeated ids are dropped. */
  readonly onelicitationcomplete?: (elicitationId: string) => void;
  /** @deprecated Logging is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28. */
  readonly onlog?: (message: LoggingMessage) => void;
  /** Source of time, for tests; the system's clock when absent. */
  readonly clock?: Clock;
}

const TIMEOUTS: readonly string[] = ['connectMs', 'probeMs', 'idleMs', 'totalMs'] satisfies (keyof ClientTimeouts)[];

/** Throws for timeouts that are no numbers, or that stand beside `timeouts`, where they would have no effect. */
export function checkTimeouts(options: ClientOptions): void {
  for (const name of TIMEOUTS) {
    if (name in options)
      throw new TypeError(`The client option ${name} belongs into timeouts: { timeouts: { ${name}: … } }.`);
    const given = options.timeouts?.[name as keyof ClientTimeouts];
    if (given !== undefined && !(typeof given === 'number' && given >= 0))
      throw new TypeError(`timeouts.${name} must be a number of milliseconds from 0 on, not ${JSON.stringify(given)}.`);
  }
}

export function linkOptions(options: ClientOptions): LinkOptions {
  return {
    ...connectingOptions(options),
    spokenOver: (transport, choice = choiceOf(options)) => spokenOver(transport, choice),
    probeMs: options.timeouts?.probeMs ?? options.versionNegotiation?.probe?.timeoutMs ?? 2500,
    heartbeat: options.heartbeat,
    reconnect: reconnectPolicy(options.reconnect),
    renew: reconnectPolicy(options.reconnect ?? true),
  };
}

function choiceOf({ revisions, versionNegotiation }: ClientOptions): RevisionChoice | undefined {
  return revisions ?? (versionNegotiation && revisionsOf(versionNegotiation));
}

export function connectingOptions(options: ClientOptions): Pick<LinkOptions, 'verdicts' | 'clock' | 'connectMs'> {
  const { timeouts = {}, verdicts = processVerdicts, clock = runningClock } = options;
  return { verdicts, clock, connectMs: timeouts.connectMs ?? 30_000 };
}

/** The SSE transport carries only revisions that have a handshake. */
function spokenOver(transport: Transport, choice: RevisionChoice | undefined): SpokenRevisions {
  const spoken = selectRevisions(choice);
  if (!isRestartable(transport) || transport.hasTwoEndpoints !== true) return spoken;
  return selectRevisions(
    spoken.all.filter((revision) => revision.family === 'handshake').map((revision) => revision.id),
  );
}

export function clientExtensions({ tasks = true, extensions = [] }: ClientOptions): ClientExtensions {
  const hasOwn = extensions.some(({ extension }) => extension === tasksExtension);
  return new ClientExtensions(tasks && !hasOwn ? [{ extension: tasksExtension }, ...extensions] : extensions);
}

export function requestTimers(options: ClientOptions): DefaultTimers {
  return { idleMs: options.timeouts?.idleMs ?? 60_000, totalMs: options.timeouts?.totalMs ?? 0 };
}
