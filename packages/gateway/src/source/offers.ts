import type { SourceOffers } from 'crosspoint/server';
import type { UpstreamSession } from '../upstream/upstream-session.ts';

type ListChange = { readonly kind: 'tools' | 'prompts' | 'resources' };

/** Longest time for which the offers are not read again, where the server reports no changes. */
const OFFERS_FOR_MS = 10_000;

const NOTHING = { tools: [], prompts: [], resources: [], resourceTemplates: [] };

/** Everything that a server offers to one caller: read once, and again when it may have changed. */
export class Offers {
  readonly #session: UpstreamSession;
  #read: { readonly offers: Promise<SourceOffers>; readonly until: number } | undefined;
  #isWatched = false;

  constructor(session: UpstreamSession) {
    this.#session = session;
  }

  /** Calls back with each list that changes at the server. */
  async watch(onchange: (change: ListChange) => void): Promise<void> {
    const { client } = this.#session;
    const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
    const target = {
      ...(tools?.listChanged === true && { tools: true }),
      ...(prompts?.listChanged === true && { prompts: true }),
      ...(resources?.listChanged === true && { resources: true }),
    };
    if (Object.keys(target).length === 0) return;
    const { honored, closed } = await client.watch(target, {
      onchange: (change) => {
        this.#read = undefined;
        if (change.kind !== 'resource') onchange(change);
      },
    });
    this.#isWatched =
      (tools === undefined || honored.tools === true) &&
      (prompts === undefined || honored.prompts === true) &&
      (resources === undefined || honored.resources === true);
    void closed.then(() => (this.#isWatched = false));
  }

  /** The same object until the offers may have changed. */
  get(onproblem: (problem: Error) => void): Promise<SourceOffers> {
    const known = this.#read;
    if (known !== undefined && (this.#isWatched || Date.now() < known.until)) return known.offers;
    const made = { offers: this.#list(onproblem), until: Date.now() + OFFERS_FOR_MS };
    this.#read = made;
    made.offers.catch(() => {
      if (this.#read === made) this.#read = undefined;
    });
    return made.offers;
  }

  /** Reads all lists. One that fails is empty and reported; when all fail, the first error is thrown. */
  async #list(onproblem: (problem: Error) => void): Promise<SourceOffers> {
    const { client } = this.#session;
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
}
