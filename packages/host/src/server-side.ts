import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { MemoryCredentials, type CredentialStore } from 'crosspoint/auth';
import { openBrowser } from 'crosspoint/auth/node';
import type { Client, ClientOptions, Implementation } from 'crosspoint/client';
import type { AuditWriter } from './audit/event.ts';
import type { Listing } from './catalogue/listing.ts';
import { resolveEntry } from './config/interpolation/resolve-entry.ts';
import type { InputValues } from './config/inputs/input-values.ts';
import type { Reach, ServerEntry, ServerTemplate } from './config/server-entry.ts';
import type { TrustBook } from './config/trust/trust-book.ts';
import { CallsInFlight } from './context/calls-in-flight.ts';
import { PendingPages } from './context/pending-pages.ts';
import { answerQuestions, type AnsweredQuestions } from './context/questions.ts';
import { ServerContext, type Exchange } from './context/server-context.ts';
import { ServerRoots } from './context/server-roots.ts';
import type { StartGate } from './gate/start-gate.ts';
import type { HostEvent } from './host-event.ts';
import type { HostOptions } from './host-options.ts';
import type { Asks, Provenance } from './inbox/item.ts';
import type { SecretStore } from './secrets/secret-store.ts';
import type { RetryOptions } from './servers/pacing.ts';
import type { ServerPort } from './servers/server-port.ts';
import type { ServerState } from './servers/server-state.ts';
import { attempt } from './values/guard.ts';

/** The parts of the host that its servers need. */
export interface SideParts {
  readonly asks: Asks;
  readonly audit: AuditWriter;
  readonly trust: TrustBook;
  readonly starts: StartGate;
  readonly inputs: InputValues;
  readonly secrets: SecretStore;
  emit(event: HostEvent): void;
  listed(server: string, listing: Listing, isStale: boolean): Promise<void>;
  learnSecrets(secrets: readonly string[]): void;
}

/** The host as its servers see it. What belongs to one server is kept under its name, and given to no other. */
export class ServerSide implements ServerPort {
  readonly info: Implementation;
  readonly retry: RetryOptions;
  readonly connectMs: number;
  readonly asks: Asks;
  readonly credentials: CredentialStore;
  readonly openUrl: HostOptions['openUrl'];
  readonly tracing: HostOptions['timeline'];
  readonly pages: PendingPages;
  readonly roots: ServerRoots;
  readonly #options: HostOptions;
  readonly #parts: SideParts;
  readonly #calls = new Map<string, CallsInFlight>();
  readonly #questions = new Map<string, AnsweredQuestions>();
  readonly #context = new ServerContext();

  constructor(options: HostOptions, parts: SideParts) {
    const { name, version, title } = options;
    this.info = { name, version, ...(title !== undefined && { title }) };
    this.retry = options.retry ?? {};
    this.connectMs = options.connectMs ?? 30_000;
    this.asks = parts.asks;
    this.credentials = options.credentials ?? new MemoryCredentials();
    this.openUrl = options.openUrl;
    this.tracing = options.timeline;
    this.#options = options;
    this.#parts = parts;
    this.pages = new PendingPages((page, isOver) => parts.emit({ type: 'page', page, isOver }));
    this.roots = new ServerRoots({
      answer: options.roots,
      onchange: (server) => this.rootsChanged(server),
      onproblem: (server, problem) => this.onproblem(server, problem),
    });
  }

  mayStart: ServerPort['mayStart'] = (entry, context) => this.#parts.starts.mayStart(entry, context);

  async resolve(entry: ServerEntry, signal: AbortSignal): Promise<Reach> {
    return entry.template === undefined ? this.#resolved(entry, signal) : this.#filled(entry, entry.template, signal);
  }

  async #resolved(entry: ServerEntry, signal: AbortSignal): Promise<Reach> {
    const { inputs = [], folder } = this.#options;
    const { reach, roots, secrets } = await resolveEntry(entry, {
      env: process.env,
      folders: { userHome: homedir(), ...(folder !== undefined && { workspaceFolder: folder }) },
      trust: this.#parts.trust,
      inputs,
      secret: (name) => this.#parts.secrets.get(name),
      input: (id, { file }) => {
        const definition = inputs.find((one) => one.id === id && one.origin?.file === file);
        return this.#parts.inputs.get(definition ?? { id, type: 'text', isSecret: true }, askedBy(entry), { signal });
      },
    });
    this.roots.begin(entry.name, roots);
    this.#parts.learnSecrets(secrets);
    return reach;
  }

  async #filled(entry: ServerEntry, { inputs, fill }: ServerTemplate, signal: AbortSignal): Promise<Reach> {
    const values = await this.#parts.inputs.all(inputs, askedBy(entry), { signal });
    const secret = inputs.filter(({ isSecret }) => isSecret === true).flatMap(({ id }) => values[id] ?? []);
    this.#parts.learnSecrets(secret.filter((value) => typeof value === 'string'));
    this.roots.begin(entry.name, entry.roots ?? []);
    return fill(values);
  }

  clientOptions(entry: ServerEntry): ClientOptions {
    const { extensions } = this.#options;
    return {
      ...(extensions !== undefined && { extensions }),
      onelicitationcomplete: (id) => this.pages.finished(entry.name, id),
      onlog: ({ level, logger, data }) =>
        this.#parts.emit({ type: 'log', server: entry.name, level, ...(logger !== undefined && { logger }), data }),
    };
  }

  prepare(client: Client, { name }: ServerEntry): void {
    const { sampling } = this.#options;
    if (this.tracing !== undefined) client.use(this.tracing.clientOf(name));
    const answered = answerQuestions(client, {
      server: name,
      asks: this.asks,
      calls: this.inFlight(name),
      context: this.#context,
      audit: this.#parts.audit,
      roots: () => this.roots.readable(name),
      ...(sampling !== undefined && { sampling }),
      openUrl: (url) => this.open(new URL(url)),
      onpage: ({ url, elicitationId, from: { call } }) =>
        this.pages.add(
          { id: randomUUID(), server: name, url, openedAt: Date.now(), ...(call !== undefined && { call }) },
          elicitationId,
        ),
      onproblem: (problem) => this.onproblem(name, problem),
    });
    this.#questions.set(name, answered);
  }

  /** Opens a page that the user agreed to, in a program that the host cannot look into. */
  async open(url: URL): Promise<void> {
    if (this.openUrl !== undefined) return this.openUrl(url);
    if (!(await openBrowser(url))) throw new Error('This machine has no program that opens pages.');
  }

  /** The calls that the server works on. */
  inFlight(server: string): CallsInFlight {
    const calls = this.#calls.get(server) ?? new CallsInFlight();
    this.#calls.set(server, calls);
    return calls;
  }

  /** A call is over. It is kept only where a rule may give context to those who ask for a model. */
  heard(exchange: Exchange): void {
    if (this.#options.sampling?.includeContext !== undefined) this.#context.add(exchange);
  }

  /** The folders of the server have changed: the user is asked again, and the server is told. */
  async rootsChanged(server: string): Promise<void> {
    await this.#questions.get(server)?.rootsChanged();
  }

  /** The server was removed. */
  forget(server: string): void {
    this.roots.forget(server);
    for (const kept of [this.#calls, this.#questions]) kept.delete(server);
    this.#context.forget(server);
    this.pages.forget(server);
  }

  onstate(server: string, state: ServerState): void {
    if (state.status === 'failed' || state.status === 'closed') this.pages.forget(server);
    if (state.status === 'closed') this.roots.forget(server);
    this.#parts.emit({ type: 'server', server, state });
  }

  onlisting(server: string, listing: Listing, isStale: boolean): Promise<void> {
    return this.#parts.listed(server, listing, isStale);
  }

  onstderr(server: string, line: string): void {
    this.#parts.emit({ type: 'stderr', server, line });
  }

  onproblem(server: string, problem: Error): void {
    const told = new Error(`The server "${server}": ${problem.message}`, { cause: problem });
    attempt(() => this.#options.onproblem?.(told));
  }
}

function askedBy({ name }: ServerEntry): Provenance {
  return { server: name, reason: `The configuration of the server "${name}" asks for it.` };
}
