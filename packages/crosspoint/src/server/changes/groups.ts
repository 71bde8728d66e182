interface Grouped {
  readonly group: string;
}

const groups = new WeakMap<object, Grouped>();

/** Puts the caller of a request into a group: that of the session or stream which the request opens. */
export function putInGroup(ctx: object, group: string): void {
  groups.set(ctx, { group });
}

/** The group of the caller of a request, to be spread into what it opens: without a group that takes no memory. */
export function groupOf(ctx: object): Grouped | undefined {
  return groups.get(ctx);
}
