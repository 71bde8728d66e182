import type { Annotations, Resource, Role } from 'crosspoint/client';

/** Chooses resources. Every member that is given must fit. */
export interface ResourceFilter {
  /** Words that the name, title, description or address must all contain. */
  readonly query?: string;
  readonly server?: string;
  /** Media type, or its beginning, as in `text/`. */
  readonly mimeType?: string;
  /** Leaves out resources that are meant for the other one alone. */
  readonly audience?: Role;
  readonly limit?: number;
}

interface Placed {
  readonly server: string;
  readonly resource: Resource;
}

/** The resources that fit, the most important first as their servers say, then by name. */
export function findResources<One extends Placed>(resources: readonly One[], filter: ResourceFilter = {}): One[] {
  const words = (filter.query ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const fits = ({ server, resource }: One): boolean => {
    if (filter.server !== undefined && server !== filter.server) return false;
    if (filter.mimeType !== undefined && resource.mimeType?.startsWith(filter.mimeType) !== true) return false;
    if (filter.audience !== undefined && !isFor(resource.annotations, filter.audience)) return false;
    const text = [resource.name, resource.title, resource.description, resource.uri].join('\n').toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return resources
    .filter(fits)
    .sort((one, other) => byPriority(one.resource.annotations, other.resource.annotations) || byName(one, other))
    .slice(0, filter.limit);
}

/** Whether something is meant for this reader. Without an audience it is for everybody. */
export function isFor(annotations: Annotations | undefined, reader: Role): boolean {
  const { audience } = annotations ?? {};
  return !Array.isArray(audience) || audience.length === 0 || audience.includes(reader);
}

/** Without a priority, something is as important as the middle of the scale. */
const UNSAID = 0.5;

/** For `sort`: the more important first. */
export function byPriority(one: Annotations | undefined, other: Annotations | undefined): number {
  return priorityOf(other) - priorityOf(one);
}

function priorityOf(annotations: Annotations | undefined): number {
  const priority = annotations?.priority;
  return typeof priority === 'number' && Number.isFinite(priority) ? Math.min(1, Math.max(0, priority)) : UNSAID;
}

function byName(one: Placed, other: Placed): number {
  return `${one.server} ${one.resource.name}` < `${other.server} ${other.resource.name}` ? -1 : 1;
}
