import { revisions } from './index.ts';

const specified: ReadonlySet<string> = /* @__PURE__ */ new Set(
  revisions.flatMap((revision) => [...revision.methods.keys()]),
);

/** Whether any revision knows the method: what none knows is the program's own. */
export function isSpecificationMethod(method: string): boolean {
  return specified.has(method);
}
