import { ProtocolError, type Client, type ClientContext } from 'crosspoint/client';
import type { SourceOffers } from 'crosspoint/server';
import { ASKED_BY } from '../calls/ask.ts';
import { matchCall } from '../calls/matching.ts';
import type { OpenCall, Question } from '../calls/open-call.ts';
import { relatedTask, withoutHop } from '../words/meta.ts';
import type { RelayClient } from './relay-call.ts';

type JsonObject = Record<string, unknown>;

/** Longest time for which the offers are not read again, where the server reports no changes. */
const OFFERS_FOR_MS = 10_000;

const NOTHING = { tools: [], prompts: [], resources: [], resourceTemplates: [] };

/** The client of one caller: what its server offers, and the calls that are open there. */
export class CallerClient implements RelayClient {
  readonly client: Client;
  readonly calls: Set<OpenCall> = new Set();
  #offers: { readonly read: Promise<SourceOffers>; readonly until: number } | undefined;
  #isWatched = false;

  constructor(client: Client, onended: () => void) {
    this.client = client;
    const { onclose } = client;
    client.onclose = () => {
      onended();
      onclose?.();
    };
    const declared = client.getClientCapabilities();
    for (const [method, capability] of Object.entries(ASKED_BY))
      if (declared[capability] !== undefined && !hasHandler(client, method))
        client.setRequestHandler(method, (request, extra) => this.#asked(request, extra));
  }

  /** Calls back with each list that changes at the server. */
  async watch(onchange: (change: { kind: 'tools' | 'prompts' | 'resources' }) => void): Promise<void> {
    const { tools, prompts, resources } = this.client.getServerCapabilities() ?? {};
    const target = {
      ...(tools?.listChanged === true && { tools: true }),
      ...(prompts?.listChanged === true && { prompts: true }),
      ...(resources?.listChanged === true && { resources: true }),
    };
    if (Object.keys(target).length === 0) return;
    const { honored, closed } = await this.client.watch(target, {
      onchange: (change) => {
        this.#offers = undefined;
        if (change.kind !== 'resource') onchange(change);
      },
    });
    this.#isWatched =
      (tools === undefined || honored.tools === true) &&
      (prompts === undefined || honored.prompts === true) &&
      (resources === undefined || honored.resources === true);
    void closed.then(() => (this.#isWatched = false));
  }

  /** Everything that the server offers: the same object until it may have changed. */
  offers(onproblem: (problem: Error) => void): Promise<SourceOffers> {
    const known = this.#offers;
    if (known !== undefined && (this.#isWatched || Date.now() < known.until)) return known.read;
    const made = { read: this.#read(onproblem), until: Date.now() + OFFERS_FOR_MS };
    this.#offers = made;
    made.read.catch(() => {
      if (this.#offers === made) this.#offers = undefined;
    });
    return made.read;
  }

  close(): Promise<void> {
    return this.client.close();
  }

  /** Reads all lists. One that fails is empty and reported; when all fail, the first error is thrown. */
  async #read(onproblem: (problem: Error) => void): Promise<SourceOffers> {
    const { client } = this;
    const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
    const lists = [
      ...(tools ? [client.listTools()] : []),
      ...(prompts ? [client.listPrompts()] : []),
      ...(resources ? [client.listResources(), client.listResourceTemplates()] : []),
    ];
    const settled = await Promise.allSettled<SourceOffers>(lists);
    const failed = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
    if (failed[0] !== undefined && failed.length === lists.length) throw failed[0];
    for (const problem of failed) onproblem(problem);
    return Object.assign(
      { ...NOTHING },
      ...settled.map((one) => (one.status === 'fulfilled' ? one.value : {})),
    ) as SourceOffers;
  }

  async #asked(
    { method, params = {} }: { method: string; params?: JsonObject },
    extra: ClientContext,
  ): Promise<JsonObject> {
    const belonging = { relatedRequestId: extra.relatedRequestId, taskId: relatedTask(params['_meta'] ?? extra._meta) };
    const call = matchCall(belonging, this.calls);
    if (call === undefined)
      throw new ProtocolError(
        'method-not-found',
        `${method} belongs to no call, or to one of several: it reaches no one.`,
      );
    const { signal, resumeAfter } = extra;
    return call.ask({
      method: method as Question['method'],
      params: withoutHop(params),
      signal,
      resumeAfter,
      reportProgress: (progress) => extra.reportProgress(progress),
    });
  }
}

function hasHandler(client: Client, method: string): boolean {
  try {
    client.assertCanSetRequestHandler(method);
    return false;
  } catch {
    return true;
  }
}
