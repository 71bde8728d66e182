import { builtInModule } from '../../runtime/built-in-module.ts';

/** A step that is running, and the call it belongs to. */
export interface StepScope {
  readonly owner: object;
  readonly name: string;
}

interface Storage {
  run<T>(scope: StepScope, run: () => T): T;
  getStore(): StepScope | undefined;
}

let storage: Storage | undefined;
let looked = false;
let entered: StepScope | undefined;

/** Made with the first step: asynchronous context makes every `await` slower, and most servers have no steps. */
function useStorage(): Storage | undefined {
  if (looked) return storage;
  looked = true;
  const Found = builtInModule<{ AsyncLocalStorage?: new () => Storage }>('node:async_hooks')?.AsyncLocalStorage;
  if (Found) storage = new Found();
  return storage;
}

/** Runs the function of a step so that code inside it can tell; without asynchronous context, only its synchronous part can. */
export function runInStep<T>(scope: StepScope, run: () => T): T {
  const found = useStorage();
  if (found) return found.run(scope, run);
  const before = entered;
  entered = scope;
  try {
    return run();
  } finally {
    entered = before;
  }
}

/** The step of this call that the running code is part of. */
export function stepAround(owner: object): string | undefined {
  const scope = storage?.getStore() ?? entered;
  return scope?.owner === owner ? scope.name : undefined;
}
