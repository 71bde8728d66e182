import { ProtocolError, type LoggingLevel, type WatchedChange } from 'crosspoint/client';
import type { Caller, ServerContext } from 'crosspoint/server';
import { sessionOf } from 'crosspoint/server/relaying';
import { Watching, type Wanted } from '../changes/watching.ts';
import type { UpstreamSession } from '../upstream/upstream-session.ts';
import type { Slot } from '../upstream/upstream-sessions.ts';

type ClientSession = NonNullable<ReturnType<typeof sessionOf>>;

export interface LinksSetup {
  acquire(caller: Caller): Promise<Slot>;
  /** Whether a client's session at the server is its own, so that messages outside of calls are for it. */
  readonly areOwn: boolean;
  onchange(group: string, change: WatchedChange): void;
  readonly onproblem: (problem: Error) => void;
}

/** A client with a session at the face, and its session at the server. */
interface Link {
  readonly session: ClientSession;
  readonly watching: Watching;
  slot: Slot | undefined;
  level: LoggingLevel | undefined;
  /** Whether the client has finished its handshake, before which it must not be asked anything. */
  isReady: boolean;
}

const LISTS: Wanted = { tools: true, prompts: true, resources: true };

/** The sessions of clients at the face: while one lasts, its session at the server is kept, and everything that belongs to no call goes to it. */
export class Links {
  readonly #setup: LinksSetup;
  readonly #links = new Map<string, Link>();

  constructor(setup: LinksSetup) {
    this.#setup = setup;
  }

  get size(): number {
    return this.#links.size;
  }

  /** Ties a client's session to the session of the server that its requests go to. Does nothing while they are tied. */
  tie(ctx: ServerContext, slot: Slot, from: Caller): void {
    const { group } = ctx;
    if (group === undefined || ctx.task !== undefined) return;
    const link = this.#links.get(group) ?? this.#begin(ctx, group, from);
    if (link !== undefined && link.slot?.session !== slot.session) this.#connect(link, slot);
    if (ctx.inbound.method !== 'initialize') this.ready(group);
  }

  /** A client has finished its handshake, as it says or as its first request shows. */
  ready(group: string | undefined): void {
    const link = this.#links.get(group ?? '');
    if (link === undefined || link.isReady) return;
    link.isReady = true;
    if (link.slot) this.#standFor(link, link.slot.session);
  }

  /** Whether the server of a client has log messages. A server that is not known yet may. */
  hasLogs({ group = '' }: ServerContext): boolean {
    const session = this.#links.get(group)?.slot?.session;
    return session === undefined || session.client.getServerCapabilities()?.logging !== undefined;
  }

  /** The level that a client has set for its session. */
  async setLevel(ctx: ServerContext, level: LoggingLevel): Promise<void> {
    const link = this.#links.get(ctx.group ?? '');
    if (link === undefined) return;
    link.level = level;
    const session = link.slot?.session;
    if (session?.family === 'handshake') await session.level.want(link, level);
  }

  /** Watches a resource, and says whether that is new. Rejects where the server does not report changes of it. */
  async subscribe({ group = '' }: ServerContext, uri: string): Promise<boolean> {
    const link = this.#links.get(group);
    if (link === undefined) return false;
    let isNew = false;
    const honored = await link.watching.want((now) => {
      isNew = now.uris?.includes(uri) !== true;
      return isNew ? { ...LISTS, uris: [...(now.uris ?? []), uri] } : now;
    });
    if (honored.uris?.includes(uri) === true) return isNew;
    await this.#forget(link, uri);
    throw new ProtocolError('method-not-found', 'The server does not report changes of this resource.');
  }

  async unsubscribe({ group = '' }: ServerContext, uri: string): Promise<void> {
    const link = this.#links.get(group);
    if (link !== undefined) await this.#forget(link, uri);
  }

  async #forget({ watching }: Link, uri: string): Promise<void> {
    await watching.want((now) =>
      now.uris?.includes(uri) === true ? { ...now, uris: now.uris.filter((one) => one !== uri) } : now,
    );
  }

  async close(): Promise<void> {
    await Promise.all([...this.#links].map(([group, link]) => this.#end(group, link)));
  }

  #begin(ctx: ServerContext, group: string, from: Caller): Link | undefined {
    const session = sessionOf(ctx);
    if (session === undefined) return undefined;
    const { authInfo, principal, client, capabilities, family, sessionId } = from;
    const caller: Caller = { authInfo, principal, client, capabilities, family, sessionId, group };
    const watching = new Watching({
      acquire: () => this.#setup.acquire(caller),
      onchange: (change) => this.#setup.onchange(group, change),
      onproblem: (problem) => this.#setup.onproblem(problem),
    });
    const link: Link = { session, watching, slot: undefined, level: ctx.facts.logLevel, isReady: false };
    this.#links.set(group, link);
    void session.closed.then(() => this.#end(group, link));
    watching.want(LISTS).catch((error: Error) => this.#setup.onproblem(error));
    return link;
  }

  /** Keeps the session of the server open as long as the client's. */
  #connect(link: Link, slot: Slot): void {
    link.slot?.release();
    link.slot = slot.share();
    const { session } = slot;
    if (session.family !== 'handshake' || !this.#setup.areOwn) return;
    if (link.isReady) this.#standFor(link, session);
    if (link.level !== undefined)
      session.level.want(link, link.level).catch((error: Error) => this.#setup.onproblem(error));
  }

  #standFor({ session }: Link, upstream: UpstreamSession): void {
    if (upstream.family !== 'handshake' || !this.#setup.areOwn) return;
    upstream.standing = {
      request: (message, { signal, reportProgress }) =>
        session.request(message, { signal, relayed: true, timeout: 0, onprogress: reportProgress }),
      notify: (notification) => session.notify(notification),
    };
  }

  async #end(group: string, link: Link): Promise<void> {
    if (this.#links.get(group) !== link) return;
    this.#links.delete(group);
    await link.watching.close();
    link.slot?.session.level.release(link);
    link.slot?.end();
  }
}
