import { isJsonObject } from '../../jsonrpc/message.ts';
import { pause } from '../../peer/clock.ts';
import { RateLimit, type Rate } from '../../peer/rate-limit.ts';
import type { ServerCapabilities } from '../../protocol/capabilities.ts';
import { asError } from '../../runtime/guard.ts';
import { RELISTEN, SETTLED_MS, backoff } from '../connecting/healing.ts';
import type { ListenHandle, SubscriptionFilter } from './listen-streams.ts';
import { readChange, type OfferedChange } from '../../protocol/listing.ts';
import type { Engine } from '../engine.ts';

/** Targets of a watch: lists, and the contents of resources. */
export interface WatchTarget {
  tools?: boolean;
  prompts?: boolean;
  resources?: boolean;
  uris?: readonly string[];
}

/** A change, or a possible one: after an interruption, everything watched is reported as changed. */
export type WatchedChange = OfferedChange;

export interface WatchOptions {
  onchange: (change: WatchedChange) => void | Promise<void>;
  /** Ends the watch when aborted. */
  signal?: AbortSignal | undefined;
}

/** Why a watch ended: `closed`, by this side; `lost`, with the connection; `nothing`, the server reports none of the requested changes. */
export type WatchEnd = 'closed' | 'lost' | 'nothing';

export interface WatchHandle {
  /** Targets that the server reports; may be fewer than requested. */
  readonly honored: WatchTarget;
  readonly closed: Promise<WatchEnd>;
  close(): Promise<void>;
}

/** How often `onchange` is called: 200 times in a row, then 20 times a second. Changes in between are merged. */
const TELLING: Rate = { perSecond: 20, burst: 200 };

const LISTS = ['tools', 'prompts', 'resources'] as const;

/** One watch over its lifetime, across dropped streams and restored connections. */
export class Watch implements WatchHandle {
  readonly closed: Promise<WatchEnd>;
  honored: WatchTarget = {};
  readonly #target: WatchTarget;
  readonly #options: WatchOptions;
  readonly #engine: Engine;
  readonly #life = new AbortController();
  #isStreamed = false;
  #end: (how: WatchEnd) => void = () => {};
  readonly #pace: RateLimit;
  /** Changes that came too fast, by the list or resource watched. */
  readonly #held = new Map<string, WatchedChange>();
  #timer: unknown;
  #over = false;

  constructor(target: WatchTarget, options: WatchOptions, engine: Engine) {
    this.#target = target;
    this.#options = options;
    this.#engine = engine;
    this.#pace = new RateLimit(TELLING, engine.clock);
    this.closed = new Promise((resolve) => (this.#end = resolve));
    options.signal?.addEventListener('abort', () => void this.close(), { once: true });
  }

  // ---- streams

  /** Opens a stream and reopens it whenever it ends, with growing delays. Rejects when the first attempt is refused. */
  async listen(): Promise<void> {
    this.#isStreamed = true;
    let handle = await this.#open();
    if (this.#over) return handle.close();
    if (isNothing(this.honored)) return this.#finish('nothing');
    void (async () => {
      for (let failures = 0; ; failures += 1) {
        const openedAt = this.#engine.clock.now();
        if ((await handle.closed) === 'local' || this.#over) return;
        if (this.#engine.clock.now() - openedAt > SETTLED_MS) failures = 0;
        const again = await this.#reopen(failures);
        if (again === undefined) return;
        handle = again;
      }
    })();
  }

  async #open(): Promise<ListenHandle> {
    const handle = await this.#engine.subscriptions.listens.listen(toFilter(this.#target), {
      signal: this.#life.signal,
      onnotification: ({ method, params }) => this.tell(readChange(method, params)),
      onrestored: () => this.tellAll(),
    });
    this.honored = fromFilter(handle.honored);
    return handle;
  }

  async #reopen(failures: number): Promise<ListenHandle | undefined> {
    for (let tried = failures; ; tried += 1) {
      await pause(backoff(tried, RELISTEN, Math.random()), this.#engine.clock, this.#life.signal);
      if (this.#over) return undefined;
      try {
        const handle = await this.#open();
        if (isNothing(this.honored)) {
          this.#finish('nothing');
          return undefined;
        }
        this.tellAll();
        return handle;
      } catch (error) {
        if (!this.#over) this.#report(error);
      }
    }
  }

  // ---- unsolicited notifications

  /** Uses the change notifications that the server declared, and subscribes to the resources. */
  async subscribe({ tools, prompts, resources }: ServerCapabilities): Promise<void> {
    const declared = { tools: tools?.listChanged, prompts: prompts?.listChanged, resources: resources?.listChanged };
    for (const list of LISTS) if (this.#target[list] === true && declared[list] === true) this.honored[list] = true;
    const uris = resources?.subscribe === true ? [...new Set(this.#target.uris)] : [];
    if (uris.length > 0) this.honored.uris = uris;
    for (const [index, uri] of uris.entries()) {
      try {
        await this.#engine.subscriptions.want(uri);
      } catch (error) {
        await Promise.allSettled(uris.slice(0, index).map((done) => this.#engine.subscriptions.unwant(done)));
        throw error;
      }
    }
    if (isNothing(this.honored)) this.#finish('nothing');
  }

  // ---- both

  /** Reports a change, if it is watched. Changes that come too fast are merged and reported later, never lost. */
  tell(change: WatchedChange | undefined): void {
    if (change === undefined || this.#over) return;
    const watched =
      change.kind === 'resource'
        ? this.#target.uris?.find((uri) => isWithin(change.uri, uri))
        : this.#target[change.kind] === true
          ? change.kind
          : undefined;
    if (watched === undefined) return;
    if (this.#timer === undefined && this.#pace.take()) return this.#tellNow(change);
    const whole = change.kind === 'resource' ? { kind: change.kind, uri: watched } : change;
    this.#held.set(`${change.kind} ${watched}`, whole);
    this.#tellLater();
  }

  #tellLater(): void {
    this.#timer ??= this.#engine.clock.setTimeout(() => {
      this.#timer = undefined;
      for (const [watched, change] of this.#held) {
        if (this.#over || !this.#pace.take()) break;
        this.#held.delete(watched);
        this.#tellNow(change);
      }
      if (this.#held.size > 0 && !this.#over) this.#tellLater();
    }, this.#pace.waitMs);
  }

  #tellNow(change: WatchedChange): void {
    this.#engine.guard(() => this.#options.onchange(change));
  }

  /** After an interruption, everything watched may have changed. */
  tellAll(): void {
    for (const list of LISTS) if (this.honored[list]) this.tell({ kind: list });
    for (const uri of this.honored.uris ?? []) this.tell({ kind: 'resource', uri });
  }

  async close(): Promise<void> {
    if (this.#over) return;
    const { uris = [] } = this.honored;
    this.#finish('closed');
    if (this.#isStreamed) return;
    const { subscriptions } = this.#engine;
    await Promise.all(uris.map((uri) => subscriptions.unwant(uri))).catch((error: unknown) => this.#report(error));
  }

  lose(how: WatchEnd): void {
    if (!this.#over) this.#finish(how);
  }

  #finish(how: WatchEnd): void {
    this.#over = true;
    this.#engine.clock.clearTimeout(this.#timer);
    this.#engine.subscriptions.forget(this);
    this.#life.abort();
    this.#end(how);
  }

  #report(error: unknown): void {
    this.#engine.onproblem(asError(error));
  }
}

function isNothing({ tools, prompts, resources, uris = [] }: WatchTarget): boolean {
  return tools !== true && prompts !== true && resources !== true && uris.length === 0;
}

/** Whether a URI is the watched one or part of it: a server may report a part of what was subscribed to. */
function isWithin(uri: string, watched: string): boolean {
  return (
    uri === watched ||
    (uri.startsWith(watched) && (watched.endsWith('/') || '/?#'.includes(uri.charAt(watched.length))))
  );
}

function toFilter({ tools, prompts, resources, uris = [] }: WatchTarget): SubscriptionFilter {
  return {
    ...(tools === true && { toolsListChanged: true }),
    ...(prompts === true && { promptsListChanged: true }),
    ...(resources === true && { resourcesListChanged: true }),
    ...(uris.length > 0 && { resourceSubscriptions: [...new Set(uris)] }),
  };
}

function fromFilter(honored: SubscriptionFilter): WatchTarget {
  const { toolsListChanged, promptsListChanged, resourcesListChanged, resourceSubscriptions } = isJsonObject(honored)
    ? honored
    : {};
  return {
    ...(toolsListChanged === true && { tools: true }),
    ...(promptsListChanged === true && { prompts: true }),
    ...(resourcesListChanged === true && { resources: true }),
    ...(Array.isArray(resourceSubscriptions) &&
      resourceSubscriptions.length > 0 && { uris: resourceSubscriptions as string[] }),
  };
}
