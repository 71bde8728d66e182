import { ProtocolError, type LoggingLevel, type WatchedChange } from 'crosspoint/client';
import type { Caller, Server, ServerContext, ServerMiddleware, ServerOperation } from 'crosspoint/server';
import { byCaller, listenStreamOf } from 'crosspoint/server/relaying';
import { Watching, type Wanted } from '../changes/watching.ts';
import { mayLeave } from '../values/leaving.ts';
import type { Reach } from '../calls/reach.ts';
import type { Relay } from '../calls/relay.ts';
import { isObject } from '../words/meta.ts';
import { relayedError } from '../words/errors.ts';
import { describeServer } from './describe.ts';
import { Links } from './links.ts';

type Next = Parameters<ServerMiddleware>[1];
type Done = Awaited<ReturnType<ServerMiddleware>>;

/** Requests that go to the server as they are. */
const RELAYED = [
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'completion/complete',
] as const;
const IS_RELAYED: ReadonlySet<string> = new Set(RELAYED);

/** Most resources of one listen, as the face itself has it: more are not asked of the server first. */
const MOST_URIS = 10_000;
/** How long a session stays open that was opened only to describe the server: many clients look, and then shake hands. */
const LOOKED_AT_MS = 5000;

/** Notifications that speak of requests of one hop, which the face acts on: the next hop has other ids. */
const OF_ONE_HOP: ReadonlySet<string> = new Set([
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
]);

export interface FaceSetup {
  readonly server: Server;
  readonly relay: Relay;
  readonly reach: Reach;
  readonly isStateless: boolean;
  readonly onproblem: (problem: Error) => void;
}

/** Joins a `Server` to a relay: what clients ask is relayed, what they want to hear of is watched, and each is told of its own server. */
export class Face {
  readonly #setup: FaceSetup;
  readonly #links: Links;
  readonly #streams = new Set<Watching>();
  /** The group that a caller is about to get, until its session has it. */
  readonly #named = new WeakMap<Caller, string>();

  constructor(setup: FaceSetup) {
    this.#setup = setup;
    const { server, relay, reach, isStateless, onproblem } = setup;
    this.#links = new Links({
      acquire: async (caller) => reach.caller(caller),
      areOwn: !isStateless,
      onchange: (group, change) => this.#tell(change, group),
      onproblem,
    });
    reach.onreached = (ctx, slot) => this.#links.tie(ctx, slot, ctx);
    const described = byCaller({
      groupOf: (caller) => this.#name(caller),
      describe: (caller) => this.#describe(caller),
    });
    server.use((operation, next) => {
      const { method, context } = operation;
      if (context === undefined) return next();
      // Only the end of its call concerns a relayed request.
      if (IS_RELAYED.has(method)) return mayLeave(context, next);
      return this.#pass(operation, context, async (params) => described(operation, () => next(params)));
    });
    for (const method of RELAYED) server.setRequestHandler(method, (request, ctx) => relay.handle(request, ctx));
    server.fallbackRequestHandler = (request, ctx) => relay.handle(request, ctx);
    server.fallbackNotificationHandler = async ({ method, params = {} }, from) => {
      if (method === 'notifications/initialized') this.#links.ready(from.group);
      if (!OF_ONE_HOP.has(method)) await relay.notify({ method, params }, from);
    };
  }

  async close(): Promise<void> {
    await this.#links.close();
    await Promise.all([...this.#streams].map((stream) => stream.close()));
  }

  #name(caller: Caller): string {
    const group = crypto.randomUUID();
    this.#named.set(caller, group);
    return group;
  }

  async #describe(caller: Caller): Promise<ReturnType<typeof describeServer>> {
    const group = this.#named.get(caller);
    const { family } = caller;
    try {
      const slot = await this.#setup.reach.caller({ ...plain(caller), group });
      slot.release(family === 'per-request' ? LOOKED_AT_MS : undefined);
      return describeServer(slot.session, caller);
    } catch (error) {
      throw relayedError(error);
    }
  }

  async #pass(operation: ServerOperation, context: ServerContext, next: Next): Promise<Done> {
    const { method, params } = operation;
    if (method === 'subscriptions/listen') return this.#listen(operation, next);
    if (method === 'logging/setLevel' && !this.#links.hasLogs(context))
      throw new ProtocolError('method-not-found', 'The server has no log messages.');
    if (method === 'resources/subscribe') return this.#subscribe(context, String(params['uri']), next);
    const outcome = await mayLeave(context, next);
    // Its first request ties a session that could not be tied now.
    if (method === 'initialize') await this.#shaken(context, params).catch(this.#setup.onproblem);
    if (method === 'resources/unsubscribe') await relayed(this.#links.unsubscribe(context, String(params['uri'])));
    if (method === 'logging/setLevel') await relayed(this.#links.setLevel(context, params['level'] as LoggingLevel));
    return outcome;
  }

  /** A client has a session from now on, and its facts are those of its handshake: the context is of the time before. */
  async #shaken(ctx: ServerContext, { clientInfo, capabilities }: Record<string, unknown>): Promise<void> {
    const facts = { client: clientInfo, capabilities } as Pick<Caller, 'client' | 'capabilities'>;
    const caller = { ...plain(ctx), ...facts };
    const slot = await this.#setup.reach.caller(caller);
    this.#links.tie(ctx, slot, caller);
    slot.release();
  }

  /** Subscribes at the server first, which may refuse; a subscription that the face refuses then is taken back. */
  async #subscribe(ctx: ServerContext, uri: string, next: Next): Promise<Done> {
    const isNew = await relayed(this.#links.subscribe(ctx, uri));
    try {
      return await next();
    } catch (error) {
      if (isNew) await this.#links.unsubscribe(ctx, uri).catch(this.#setup.onproblem);
      throw error;
    }
  }

  /** A stream for changes: the same is watched at the server, and only what that reports is promised. */
  async #listen({ params, context }: ServerOperation, next: Next): Promise<Done> {
    const ctx = context as NonNullable<typeof context>;
    const asked = isObject(params['notifications']) ? params['notifications'] : {};
    const watching = new Watching({
      acquire: async () => this.#setup.reach.caller(plain(ctx)),
      onchange: (change) => this.#tell(change, this.#named.get(ctx) ?? ''),
      onproblem: this.#setup.onproblem,
    });
    const honored = await relayed(watching.wantPossible(wantedIn(asked)));
    this.#streams.add(watching);
    const over = (): void => {
      this.#streams.delete(watching);
      void watching.close();
    };
    ctx.signal.addEventListener('abort', over, { once: true });
    if (ctx.aborted) over();
    const stream = listenStreamOf(ctx);
    void stream.ended.then(over);
    try {
      return await next({ ...params, notifications: { ...asked, ...filterOf(honored) } });
    } finally {
      // Refused, or answered by another middleware: nobody would hear of what is watched.
      if (!stream.isOpen) over();
    }
  }

  #tell(change: WatchedChange, group: string): void {
    const { server, onproblem } = this.#setup;
    const told = {
      tools: () => server.sendToolListChanged({ group }),
      prompts: () => server.sendPromptListChanged({ group }),
      resources: () => server.sendResourceListChanged({ group }),
      resource: () => server.sendResourceUpdated({ uri: 'uri' in change ? change.uri : '', group }),
    };
    told[change.kind]().catch(onproblem);
  }
}

/** Work at the server, whose failure is told as that of a relayed request. */
async function relayed<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw relayedError(error);
  }
}

/** The facts about a caller, whose members may be getters. */
function plain({ authInfo, principal, client, capabilities, family, sessionId, group }: Caller): Caller {
  return { authInfo, principal, client, capabilities, family, sessionId, group };
}

function wantedIn(asked: Record<string, unknown>): Wanted {
  const uris = asked['resourceSubscriptions'];
  if (Array.isArray(uris) && uris.length > MOST_URIS)
    throw new ProtocolError('invalid-params', `No more than ${MOST_URIS} resource subscriptions on one stream.`);
  return {
    tools: asked['toolsListChanged'] === true,
    prompts: asked['promptsListChanged'] === true,
    resources: asked['resourcesListChanged'] === true,
    ...(Array.isArray(uris) && { uris: uris.filter((uri) => typeof uri === 'string') }),
  };
}

function filterOf({ tools, prompts, resources, uris = [] }: Wanted): Record<string, unknown> {
  return {
    toolsListChanged: tools === true,
    promptsListChanged: prompts === true,
    resourcesListChanged: resources === true,
    resourceSubscriptions: [...uris],
  };
}
