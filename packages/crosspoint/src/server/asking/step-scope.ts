import { AsyncScopes } from '../calls/async-scopes.ts';

/** A step that is running, and the call it belongs to. */
export interface StepScope {
  readonly owner: object;
  readonly name: string;
}

const steps = /* @__PURE__ */ new AsyncScopes<StepScope>();

/** Runs the function of a step so that code inside it can tell. Asynchronous context is turned on by the first step: most servers have none. */
export function runInStep<T>(scope: StepScope, run: () => T): T {
  steps.enable();
  return steps.run(scope, run, undefined, undefined);
}

/** The step of this call that the running code is part of. */
export function stepAround(owner: object): string | undefined {
  const scope = steps.innermost;
  return scope?.owner === owner ? scope.name : undefined;
}
