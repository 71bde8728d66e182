import { revisions } from './index.ts';

const specified: ReadonlySet<string> = /* @__PURE__ */ new Set(
  revisions.flatMap((revision) => [...revision.methods.keys()]),
);

/** Whether any revision has the method. A method that none has is the program's own. */
export function isSpecificationMethod(method: string): boolean {
  return specified.has(method);
}
