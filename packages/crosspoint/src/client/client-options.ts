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
import type { ListChangedHandlers } from './watching/list-changes.ts';
import type { ListLimits } from './calls/listing.ts';
import type { JsonSchemaValidatorProvider } from '../schema/from-json-schema.ts';
import { revisionsOf, type VersionNegotiationOptions } from './connecting/version-negotiation.ts';
import type { OutputValidation } from './calls/output-checks.ts';
import type { DefaultTimers, InputMode } from './calls/request-options.ts';
import type { ReceivedTaskOptions } from './tasks/received-tasks.ts';
import { processVerdicts, type VerdictMemory } from './connecting/verdicts.ts';

/** In milliseconds; 0 means no limit. */
export interface ClientTimeouts {
  /** From the start of the transport until the revision is agreed on; 30 000 when absent. */
  readonly connectMs?: number;
  /** How long a server may leave `server/discover` unanswered before it is taken for one with a handshake; 2500 when absent. */
  readonly probeMs?: number;
  /** Longest silence of a request, which progress ends; 60 000 when absent. */
  readonly idleMs?: number;
  /** Longest life of a request; none when absent. */
  readonly totalMs?: number;
}

export interface ClientOptions {
  readonly capabilities?: ClientCapabilities;
  /** What to speak; everything when absent. */
  readonly revisions?: RevisionChoice;
  /** The same in other words; `revisions` goes before it. */
  readonly versionNegotiation?: VersionNegotiationOptions;
  readonly timeouts?: ClientTimeouts;
  readonly heartbeat?: HeartbeatOptions;
  /** Start a server that ended again, where the transport can. When absent, only what costs nothing: a session over HTTP that was lost. */
  readonly reconnect?: ReconnectOptions | boolean;
  /** What was learnt of servers; shared by the clients of the process when absent. */
  readonly verdicts?: VerdictMemory;
  /** `warn` when absent: a call that was carried out is never thrown away. */
  readonly outputValidation?: OutputValidation;
  /** Validates structured results in the place of this library's own validator. */
  readonly jsonSchemaValidator?: JsonSchemaValidatorProvider;
  readonly listChanged?: ListChangedHandlers;
  /** False: results are never reused. */
  readonly cache?: CacheOptions | false;
  /** What to do when a server asks for input inside an answer; `auto` when absent. */
  readonly inputRequired?: InputMode;
  /** How often one call may ask; 10 when absent. */
  readonly maxRounds?: number;
  /** Refuse, on this side, requests for which the server declared no capability. */
  readonly enforceStrictCapabilities?: boolean;
  /** How often a server may want something: its requests beyond are refused, its notifications dropped. Goes over the defaults, method by method. */
  readonly limits?: Limits;
  /** How long the lists of a server may be: beyond, reading one fails with `too-large`. */
  readonly lists?: ListLimits;
  /** Notifications without params that are sent once when they are sent several times in a row. */
  readonly debouncedNotificationMethods?: readonly string[];
  /**
   * False: the tasks extension is not declared. When absent it is: a server may then answer a call with a task, and the call waits for
   * its end.
   */
  readonly tasks?: boolean;
  readonly extensions?: readonly ClientExtension[];
  /** How tasks that the server asks for are kept, where `capabilities.tasks` is declared. */
  readonly receivedTasks?: ReceivedTaskOptions;
  /** Something was wrong that ended nothing. */
  readonly onproblem?: (problem: Error) => void;
  /** A page that the user was sent to by an elicitation is done, says its server; unknown and repeated reports are not passed on. */
  readonly onelicitationcomplete?: (elicitationId: string) => void;
  /** @deprecated Logging is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28. */
  readonly onlog?: (message: LoggingMessage) => void;
  readonly clock?: Clock;
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

/** The older transport carries no revision without a handshake. */
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
