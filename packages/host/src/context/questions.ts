import {
  describeUrl,
  readForm,
  type Client,
  type ClientCapabilities,
  type ClientContext,
  type ElicitResult,
  type ListRootsResult,
  type Root,
} from 'crosspoint/client';
import type { AuditWriter } from '../audit/event.ts';
import type { Asks, AskOptions, Provenance } from '../inbox/item.ts';
import { attempt, orAborted } from '../values/guard.ts';
import { asJson, canonicalJson, type Json, type JsonObject } from '../values/json.ts';
import type { CallsInFlight } from './calls-in-flight.ts';
import { answerSampling, type SamplingOptions } from './sampling.ts';
import type { ServerContext } from './server-context.ts';

/** How the questions of one server are answered. */
export interface QuestionsOptions {
  /** The name of the server in the host. */
  readonly server: string;
  /** The inbox, which every question goes to. */
  readonly asks: Asks;
  /** The calls that the server is working on, for the provenance of questions. */
  readonly calls?: CallsInFlight;
  /** The kinds of elicitation that the client declares; both when absent. */
  readonly elicitation?: { readonly form?: boolean; readonly url?: boolean };
  /**
   * Opens a page in the user's browser, after the user agreed to it; never called otherwise. Absent: the page is opened by the one who answers the
   * question. Use a program of its own, which neither the host nor the model can look into, and no shell.
   */
  readonly openUrl?: (url: string) => void | Promise<void>;
  /** Told of each page that the user agreed to, once it is open. The server may report it as finished under its `elicitationId`. */
  readonly onpage?: (page: {
    readonly url: string;
    readonly elicitationId?: string;
    readonly from: Provenance;
  }) => void;
  /** Absent: the client does not declare sampling, and servers cannot ask for it. */
  readonly sampling?: SamplingOptions;
  /** The calls that servers were sent, for requests for a model that may bring context along. */
  readonly context?: ServerContext;
  /** Keeps what models were asked and what it cost. */
  readonly audit?: AuditWriter;
  /** The folders that the server may ask for. Absent: the client does not declare roots. */
  readonly roots?: () => readonly Root[] | Promise<readonly Root[]>;
  /** Milliseconds that a question waits; the limit of the inbox when absent. */
  readonly timeoutMs?: number;
  /** Told when a page that the user agreed to could not be opened. */
  readonly onproblem?: (problem: Error) => void;
}

export interface AnsweredQuestions {
  /** Forgets which folders the user allowed, and tells the server that its roots have changed. */
  rootsChanged(): Promise<void>;
}

type AskingClient = Pick<Client, 'registerCapabilities' | 'setRequestHandler' | 'sendRootsListChanged' | 'transport'>;

/** Facts of a question: how long it is wanted, and the request that it belongs to. */
type QuestionFacts = Pick<ClientContext, 'signal' | 'relatedRequestId'>;

/**
 * Declares what servers may ask, and sends every question of this one to the inbox. Call it before the client connects.
 *
 * ```ts
 * const calls = new CallsInFlight();
 * answerQuestions(client, { server: 'shop', asks: inbox, calls, sampling: { model } });
 * await client.connect(transport);
 * await calls.during({ id: '1', tool: 'pay', arguments: {} }, (followed) =>
 *   client.callTool({ name: 'pay' }, followed),
 * );
 * ```
 */
export function answerQuestions(client: AskingClient, options: QuestionsOptions): AnsweredQuestions {
  // Callbacks of the program may never settle: a question that is no longer wanted ends all the same.
  const capabilities = questionCapabilities(options);
  client.registerCapabilities(capabilities);
  if (capabilities.elicitation !== undefined)
    client.setRequestHandler('elicitation/create', ({ params }, facts) =>
      orAborted(
        params.mode === 'url' ? answerUrl(options, params, facts) : answerForm(options, params, facts),
        facts.signal,
      ),
    );
  const { sampling } = options;
  if (sampling !== undefined)
    client.setRequestHandler('sampling/createMessage', ({ params }, facts) =>
      orAborted(answerSampling(sampling, asJson(params), samplingBy(options, facts)), facts.signal),
    );
  const roots = new AllowedRoots(options);
  if (options.roots !== undefined)
    client.setRequestHandler('roots/list', (_, facts) => orAborted(roots.answer(facts), facts.signal));
  return {
    async rootsChanged() {
      roots.forget();
      if (options.roots !== undefined && client.transport !== undefined) await client.sendRootsListChanged();
    },
  };
}

/** The capabilities that a client declares for these questions. `sampling.context` is declared only where a policy decides on context. */
export function questionCapabilities({ elicitation, sampling, roots }: QuestionsOptions): ClientCapabilities {
  const { form = true, url = true } = elicitation ?? {};
  return {
    ...((form || url) && { elicitation: { ...(form && { form: {} }), ...(url && { url: {} }) } }),
    ...(sampling !== undefined && {
      sampling: {
        ...(sampling.tools === true && { tools: {} }),
        ...(sampling.includeContext !== undefined && { context: {} }),
      },
    }),
    ...(roots !== undefined && { roots: { listChanged: true } }),
  };
}

function samplingBy(options: QuestionsOptions, facts: QuestionFacts): Parameters<typeof answerSampling>[2] {
  const { server, asks, calls, context, audit } = options;
  const call = calls?.find(facts.relatedRequestId);
  const conversation = call === undefined ? undefined : calls?.conversationOf(call);
  return {
    server,
    asks,
    ...(call !== undefined && { call }),
    signal: facts.signal,
    from: (what) => provenance(options, facts, what),
    waiting: waiting(options, facts),
    context: (scope) =>
      conversation === undefined ? [] : (context?.of(conversation, scope === 'thisServer' ? server : undefined) ?? []),
    note: (details) =>
      audit?.write({ type: 'sampling', server, ...(call !== undefined && { call: call.id }), details }),
  };
}

async function answerForm(
  options: QuestionsOptions,
  params: { readonly message: string; readonly requestedSchema: object },
  facts: QuestionFacts,
): Promise<ElicitResult> {
  // A form that cannot be shown is the server's mistake: it gets `invalid-params` and the user is not asked.
  readForm(params.requestedSchema);
  const question = { message: params.message, requestedSchema: params.requestedSchema as JsonObject };
  const answer = await options.asks.ask(
    'form',
    question,
    provenance(options, facts, 'wants information from you'),
    waiting(options, facts),
  );
  return answer as ElicitResult;
}

async function answerUrl(
  options: QuestionsOptions,
  params: { readonly message: string; readonly url: string; readonly elicitationId?: string },
  facts: QuestionFacts,
): Promise<ElicitResult> {
  const { url, host, warnings } = describeUrl(params.url);
  const { message, elicitationId } = params;
  const from = provenance(options, facts, 'wants you to open a page');
  const named = elicitationId !== undefined && { elicitationId };
  const { action } = await options.asks.ask(
    'url',
    { message, url, host, warnings, ...named },
    from,
    waiting(options, facts),
  );
  if (action !== 'accept') return { action };
  try {
    await options.openUrl?.(url);
  } catch (error) {
    attempt(() => options.onproblem?.(new Error(`The page ${url} could not be opened.`, { cause: error })));
    return { action: 'cancel' };
  }
  attempt(
    () => options.onpage?.({ url, from, ...named }),
    (error) => options.onproblem?.(error),
  );
  return { action };
}

/** A refusal holds for this long: it may be the answer of a user who was not there. */
const REFUSED_FOR_MS = 600_000;

/** The folders that the user allowed. The answer holds until the folders change, so that a server cannot wear the user down by asking again. */
class AllowedRoots {
  readonly #options: QuestionsOptions;
  #answered: { readonly asked: string; readonly roots: readonly Root[]; readonly until: number } | undefined;

  constructor(options: QuestionsOptions) {
    this.#options = options;
  }

  async answer(facts: QuestionFacts): Promise<ListRootsResult> {
    const roots = (await this.#options.roots?.()) ?? [];
    const asked = canonicalJson(roots as readonly object[] as readonly Json[]);
    if (this.#answered?.asked !== asked || this.#answered.until <= Date.now()) {
      const allowed = roots.length === 0 ? [] : await this.#ask(roots, facts);
      if (facts.signal.aborted) return { roots: [] };
      const holdsMs = allowed.length === 0 ? REFUSED_FOR_MS : Number.POSITIVE_INFINITY;
      this.#answered = { asked, roots: allowed, until: Date.now() + holdsMs };
    }
    return { roots: this.#answered.roots.map((root) => ({ ...root })) };
  }

  forget(): void {
    this.#answered = undefined;
  }

  async #ask(roots: readonly Root[], facts: QuestionFacts): Promise<readonly Root[]> {
    const shown = roots.map(({ uri, name }) => ({ uri, ...(name !== undefined && { name }) }));
    const from = provenance(this.#options, facts, 'wants to know which folders you work in');
    const answer = await this.#options.asks.ask('roots', { roots: shown }, from, waiting(this.#options, facts));
    if (answer.action === 'deny') return [];
    const chosen = answer.roots?.map(({ uri }) => uri);
    return chosen === undefined ? roots : roots.filter(({ uri }) => chosen.includes(uri));
  }
}

function waiting({ timeoutMs }: QuestionsOptions, { signal }: QuestionFacts): AskOptions {
  return { signal, ...(timeoutMs !== undefined && { timeoutMs }) };
}

function provenance({ server, calls }: QuestionsOptions, facts: QuestionFacts, what: string): Provenance {
  const call = calls?.find(facts.relatedRequestId);
  const during =
    call !== undefined
      ? ` while it runs the tool ${call.tool}`
      : (calls?.size ?? 0) > 1
        ? ` while it runs ${calls?.size} calls; it does not say for which of them`
        : '';
  return { server, ...(call !== undefined && { call }), reason: `The server ${server} ${what}${during}.` };
}
