import type { JsonObject } from '../../jsonrpc/message.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { ServerContext } from '../calls/context.ts';
import type { HandledRequest } from '../calls/handler.ts';
import { keepResult } from './result-memory.ts';
import { comparePositions, pageStart, paginate, type Placed } from './pagination.ts';
import { isOffered, type Entry, type ListHints, type Registry } from './registry.ts';

/** The differences between the lists. */
interface ListKind {
  readonly member: keyof ListHints;
  entries(registry: Registry): Iterable<Entry & { definition: object }>;
}

const KINDS: Readonly<Record<string, ListKind>> = {
  'tools/list': { member: 'tools', entries: (registry) => registry.tools.values() },
  'prompts/list': { member: 'prompts', entries: (registry) => registry.prompts.values() },
  'resources/list': { member: 'resources', entries: (registry) => registry.resources.values() },
  'resources/templates/list': { member: 'resourceTemplates', entries: (registry) => registry.templates.values() },
};

/** Answers the four list methods. A list that does not depend on the caller is made once and kept with its text. */
export function answerList(
  registry: Registry,
  request: HandledRequest,
  ctx: ServerContext,
): JsonObject | Promise<JsonObject> {
  const { method, params } = request;
  const kind = KINDS[method];
  if (kind === undefined) throw new ProtocolError('method-not-found', `Method not found: ${method}`);
  if (kind.member === 'resources' && listsTemplates(registry)) return listWithTemplates(registry, request, ctx);
  const shared = sharedItems(registry, method, kind, ctx);
  if (shared === undefined) return page(registry, request, kind, placedEntries(kind.entries(registry), ctx));
  const key = `${method} ${pageStart(method, shared, params['cursor'])}`;
  const known = registry.lists.pages.get(key);
  if (known) return known;
  // Frozen, because all callers and middleware share it.
  const made = keepResult(Object.freeze(page(registry, request, kind, shared)));
  Object.freeze(made[kind.member]);
  registry.lists.pages.set(key, made);
  return made;
}

/** The items of a list that is the same for everyone, or `undefined`. */
function sharedItems(
  registry: Registry,
  method: string,
  kind: ListKind,
  ctx: ServerContext,
): readonly Placed<object>[] | undefined {
  const { items } = registry.lists;
  if (!items.has(method)) {
    const varies = [...kind.entries(registry)].some((entry) => entry.visible !== undefined);
    items.set(method, varies ? undefined : placedEntries(kind.entries(registry), ctx));
  }
  return items.get(method);
}

function listsTemplates(registry: Registry): boolean {
  for (const entry of registry.templates.values()) if (entry.template.listCallback) return true;
  return false;
}

function page(
  registry: Registry,
  { method, params }: HandledRequest,
  kind: ListKind,
  items: readonly Placed<object>[],
): JsonObject {
  const { values, nextCursor } = paginate(method, items, pageStart(method, items, params['cursor']), registry.pageSize);
  return { [kind.member]: values, ...(nextCursor !== undefined && { nextCursor }), ...registry.hints[kind.member] };
}

function placedEntries(entries: Iterable<Entry & { definition: object }>, ctx: ServerContext): Placed<object>[] {
  const placed: Placed<object>[] = [];
  for (const entry of entries)
    if (isOffered(entry, ctx)) placed.push({ position: [0, entry.order, entry.index ?? 0], value: entry.definition });
  return placed.sort((a, b) => comparePositions(a.position, b.position));
}

/** Static resources first, then the resources listed by each template, in the order of registration. */
async function listWithTemplates(registry: Registry, request: HandledRequest, ctx: ServerContext): Promise<JsonObject> {
  const kind = KINDS['resources/list'];
  if (kind === undefined) return {};
  const templates = [...registry.templates.values()]
    .filter((entry) => isOffered(entry, ctx))
    .sort((a, b) => a.order - b.order);
  const listed = await Promise.all(templates.map((entry) => entry.template.listed(entry, ctx)));
  // A registered resource owns its URI, also when it is hidden or disabled: no template lists it again.
  const others = listed.flat().filter(({ value }) => !registry.resources.has(value.uri));
  return page(registry, request, kind, [...placedEntries(registry.resources.values(), ctx), ...others]);
}
