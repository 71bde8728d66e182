import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { ProtocolError, isProtocolError } from '../../protocol/errors.ts';
import type { CacheHints } from '../../protocol/listing.ts';
import { asError } from '../../runtime/guard.ts';
import { checkArgumentHeaders } from '../callers/argument-headers.ts';
import type { ServerContext } from '../calls/context.ts';
import type { HandledRequest } from '../calls/handler.ts';
import { isOffered, type Answer, type CallerOffers, type Registry } from '../offering/registry.ts';
import { merged } from './caller-registry.ts';
import { NO_ENTRIES, type MountedEntries } from './entries.ts';
import type { MountableServer } from './mountable.ts';

/** Longest wait for the offers of a source to one caller. */
const OFFERS_WITHIN_MS = 10_000;

/** A mount whose offers may differ by caller. */
export interface CallerPart {
  readonly prefix: string;
  /** Whether the offers to the caller of this request are others than the registered ones. */
  varies(method: string): boolean;
  /** Entries that are registered for all callers; those that are found for one caller take their place. */
  readonly registered: MountedEntries;
  entriesFor(request: HandledRequest, ctx: ServerContext): Promise<MountedEntries>;
}

/** The mounts of one server whose offers may differ by caller. A request waits for those alone that can have to do with it. */
export class CallerMounts implements CallerOffers {
  readonly #into: MountableServer;
  readonly #parts = new Set<CallerPart>();

  constructor(into: MountableServer) {
    this.#into = into;
  }

  /** Adds a mount; the returned function removes it. */
  static add(into: MountableServer, part: CallerPart): () => void {
    const { catalogue } = into;
    const all = catalogue.byCaller instanceof CallerMounts ? catalogue.byCaller : new CallerMounts(into);
    all.#parts.add(part);
    catalogue.byCaller = all;
    return () => {
      all.#parts.delete(part);
      if (all.#parts.size === 0) catalogue.byCaller = undefined;
    };
  }

  varies(method: string): boolean {
    for (const part of this.#parts) if (part.varies(method)) return true;
    return false;
  }

  answer(given: Answer, request: HandledRequest, ctx: ServerContext): JsonObject | Promise<JsonObject> {
    const { registry } = this.#into.catalogue;
    if (!this.varies(request.method)) return given(registry, request, ctx);
    const varying = [...this.#parts].filter((part) => part.varies(request.method));
    const parts = concerned(varying, registry, request, ctx);
    return parts.length === 0 ? given(registry, request, ctx) : this.#answerWith(parts, given, request, ctx);
  }

  async #answerWith(
    parts: readonly CallerPart[],
    given: Answer,
    request: HandledRequest,
    ctx: ServerContext,
  ): Promise<JsonObject> {
    const failures: unknown[] = [];
    const found = await Promise.all(
      parts.map((part) =>
        this.#within(part, request, ctx).catch((error: unknown) => {
          failures.push(error);
          this.#report(part, ctx, error);
          return { ...NO_ENTRIES };
        }),
      ),
    );
    let { registry } = this.#into.catalogue;
    for (const [index, part] of parts.entries())
      registry = merged(registry, part.registered, found[index] ?? NO_ENTRIES, (clash) =>
        this.#report(part, ctx, clash),
      );
    // Before the offers to the caller were known, nothing said which headers repeat arguments.
    const tool = request.method === 'tools/call' ? registry.tools.get(String(request.params['name'])) : undefined;
    if (tool !== undefined) checkArgumentHeaders(ctx, request.params, tool.mirrored);
    try {
      return await given(registry, request, ctx);
    } catch (error) {
      throw failures.length > 0 && isMissing(error, request) ? unreachable(failures) : error;
    }
  }

  /** The offers of one mount to the caller, within the time for it. */
  #within(part: CallerPart, request: HandledRequest, ctx: ServerContext): Promise<MountedEntries> {
    const { clock } = this.#into.core;
    return new Promise((resolve, reject) => {
      const timer = clock.setTimeout(
        () => reject(new Error(`it did not say what it offers within ${OFFERS_WITHIN_MS} ms`)),
        OFFERS_WITHIN_MS,
      );
      part
        .entriesFor(request, ctx)
        .then(resolve, reject)
        .finally(() => clock.clearTimeout(timer));
    });
  }

  #report({ prefix }: CallerPart, { principal, aborted }: ServerContext, thrown: unknown): void {
    if (aborted) return;
    const cause = asError(thrown);
    const whom = principal === undefined ? 'a caller' : `the caller ${principal}`;
    this.#into.core.onproblem(new Error(`The source mounted as "${prefix}", for ${whom}: ${cause.message}`, { cause }));
  }
}

/** Throws where a list is cached as public: a source that differs by caller may have entries in each. */
export function refusePublicLists({ catalogue }: MountableServer): void {
  for (const [list, hints] of Object.entries(catalogue.registry.hints))
    if ((hints as CacheHints).cacheScope === 'public')
      throw new TypeError(`The list of ${list} is marked public, so no source in it may differ by caller.`);
}

/** The mounts that a request may be about. An entry that is registered for all is found without any of them. */
function concerned(
  parts: readonly CallerPart[],
  registry: Registry,
  { method, params }: HandledRequest,
  ctx: ServerContext,
): readonly CallerPart[] {
  const ref = method === 'completion/complete' && isJsonObject(params['ref']) ? params['ref'] : params;
  const name = ref['name'];
  if (method === 'tools/call' || method === 'prompts/get' || ref['type'] === 'ref/prompt') {
    const isKnown = (method === 'tools/call' ? registry.tools : registry.prompts).has(String(name));
    return isKnown ? [] : parts.filter(({ prefix }) => prefix === '' || String(name).startsWith(`${prefix}_`));
  }
  if (method === 'resources/read' || ref['type'] === 'ref/resource')
    return isKnownUri(registry, String(ref['uri']), ctx) ? [] : parts;
  return parts;
}

function isKnownUri({ resources, templates }: Registry, uri: string, ctx: ServerContext): boolean {
  if (resources.has(uri)) return true;
  for (const entry of templates.values()) {
    if (entry.definition.uriTemplate !== uri && entry.template.uriTemplate.match(uri) === null) continue;
    if (isOffered(entry, ctx)) return true;
  }
  return false;
}

/** Whether an error says that the entry of a request does not exist. */
function isMissing(error: unknown, { method }: HandledRequest): boolean {
  if (!isProtocolError(error)) return false;
  return method === 'completion/complete'
    ? error.kind === 'invalid-params' || error.kind === 'prompt-not-found'
    : /^(?:tool|prompt|resource)-not-found$/.test(error.kind);
}

/** The error of a request that no reachable source answers, while others could not be reached. */
function unreachable(failures: readonly unknown[]): ProtocolError {
  return (
    failures.find(isProtocolError) ??
    new ProtocolError('internal', 'The server that offers this cannot be reached now. Try again later.')
  );
}
