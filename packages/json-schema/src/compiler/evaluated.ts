import { type Budget, spend } from '../budget.ts';

/** The members and items of one value that some keyword has evaluated: `unevaluated…` keywords leave them alone. */
export interface Evaluated {
  everyKey: boolean;
  readonly keys: Set<string>;
  everyItem: boolean;
  /** Items below this index are evaluated. */
  firstItems: number;
  /** Evaluated items elsewhere. */
  readonly items: Set<number>;
}

export function nothingEvaluated(): Evaluated {
  return { everyKey: false, keys: new Set(), everyItem: false, firstItems: 0, items: new Set() };
}

export function addEvaluated(to: Evaluated, from: Evaluated, budget: Budget): void {
  spend(budget, from.keys.size + from.items.size);
  to.everyKey ||= from.everyKey;
  to.everyItem ||= from.everyItem;
  to.firstItems = Math.max(to.firstItems, from.firstItems);
  for (const key of from.keys) to.keys.add(key);
  for (const item of from.items) to.items.add(item);
}
