import type { JsonObject } from '../../jsonrpc/message.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { ServerContext } from '../calls/context.ts';
import type { HandledRequest } from '../calls/handler.ts';
import { keepResult } from './result-memory.ts';
import { comparePositions, pageStart, paginate } from './pagination.ts';
import { isOffered, type Entry, type Listed, type ListHints, type OrderedList, type Registry } from './registry.ts';

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

/** A request for a page of a list. */
interface Asked {
  readonly registry: Registry;
  readonly request: HandledRequest;
  readonly kind: ListKind;
  readonly ctx: ServerContext;
}

/** Answers the four list methods. A list that does not depend on the caller is made once and kept with its text. */
export function answerList(
  registry: Registry,
  request: HandledRequest,
  ctx: ServerContext,
): JsonObject | Promise<JsonObject> {
  const { method, params } = request;
  const kind = KINDS[method];
  if (kind === undefined) throw new ProtocolError('method-not-found', `Method not found: ${method}`);
  const asked = { registry, request, kind, ctx };
  const { items, varies } = orderedList(asked);
  if (kind.member === 'resources' && listsTemplates(registry)) return listWithTemplates(asked, items);
  if (varies) return page(asked, items);
  const { pages } = registry.lists;
  const key = `${method} ${pageStart(method, items, params['cursor'])}`;
  const known = pages.get(key);
  if (known) return known;
  // Frozen, because all callers and middleware share it.
  const made = keepResult(Object.freeze(page(asked, items)));
  Object.freeze(made[kind.member]);
  pages.set(key, made);
  return made;
}

/** The enabled entries of a list in order, made once: a list that depends on its caller is read from them page by page. */
function orderedList({ registry, request, kind }: Asked): OrderedList {
  const { ordered } = registry.lists;
  let list = ordered.get(request.method);
  if (list === undefined) {
    const entries = [...kind.entries(registry)];
    const items = entries
      .filter((entry) => entry.enabled)
      .map((entry): Listed => ({ position: [0, entry.order, entry.index ?? 0], value: entry.definition, entry }))
      .sort((a, b) => comparePositions(a.position, b.position));
    ordered.set(request.method, (list = { items, varies: entries.some((entry) => entry.visible !== undefined) }));
  }
  return list;
}

function listsTemplates(registry: Registry): boolean {
  for (const entry of registry.templates.values()) if (entry.template.listCallback) return true;
  return false;
}

function page({ registry, request, kind, ctx }: Asked, items: readonly Listed[]): JsonObject {
  const { method, params } = request;
  const { values, nextCursor } = paginate(method, items, pageStart(method, items, params['cursor']), {
    pageSize: registry.pageSize,
    isOffered: ({ entry }) => entry === undefined || isOffered(entry, ctx),
  });
  return { [kind.member]: values, ...(nextCursor !== undefined && { nextCursor }), ...registry.hints[kind.member] };
}

/** Static resources first, then the resources listed by each template, in the order of registration. */
async function listWithTemplates(asked: Asked, own: readonly Listed[]): Promise<JsonObject> {
  const { registry, ctx } = asked;
  const templates = [...registry.templates.values()]
    .filter((entry) => isOffered(entry, ctx))
    .sort((a, b) => a.order - b.order);
  const listed = await Promise.all(templates.map((entry) => entry.template.listed(entry, ctx)));
  // A registered resource owns its URI, also when it is hidden or disabled: no template lists it again.
  const others = listed.flat().filter(({ value }) => !registry.resources.has(value.uri));
  return page(asked, [...own, ...others]);
}
