const groups = new WeakMap<object, string>();

/** Puts the caller of a request into a group: that of the session or stream which the request opens. */
export function putInGroup(ctx: object, group: string): void {
  groups.set(ctx, group);
}

/** The group of the caller of a request; `undefined` for a caller in none. */
export function groupOf(ctx: object): string | undefined {
  return groups.get(ctx);
}
