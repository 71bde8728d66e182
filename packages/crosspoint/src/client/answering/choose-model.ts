import type { ModelPreferences } from '../../protocol/sampling.ts';

/** A model that a host can offer. `cost`, `speed` and `intelligence` go from 0 to 1, higher is better: `cost` 1 is the cheapest. */
export interface AvailableModel {
  readonly name: string;
  /** Other names and families by which servers may ask for this model. */
  readonly aliases?: readonly string[];
  readonly cost?: number;
  readonly speed?: number;
  readonly intelligence?: number;
}

/**
 * Picks the model that fits a server's preferences best. Hints are tried in order, each as a part of a name or alias; the first one that
 * matches any model limits the choice to its matches. Among those the priorities decide, then the given order. Preferences are advice: a
 * host may choose differently. `undefined` only when `models` is empty.
 */
export function chooseModel<M extends AvailableModel>(
  models: readonly M[],
  preferences: ModelPreferences = {},
): M | undefined {
  for (const { name } of preferences.hints ?? []) {
    const fitting = name === undefined || name === '' ? [] : models.filter((model) => isMeant(model, name));
    if (fitting.length > 0) return best(fitting, preferences);
  }
  return best(models, preferences);
}

function isMeant({ name, aliases = [] }: AvailableModel, hint: string): boolean {
  const wanted = hint.toLowerCase();
  return [name, ...aliases].some((known) => known.toLowerCase().includes(wanted));
}

function best<M extends AvailableModel>(models: readonly M[], preferences: ModelPreferences): M | undefined {
  const { costPriority = 0, speedPriority = 0, intelligencePriority = 0 } = preferences;
  const score = ({ cost = 0.5, speed = 0.5, intelligence = 0.5 }: M): number =>
    costPriority * cost + speedPriority * speed + intelligencePriority * intelligence;
  let found: M | undefined;
  for (const model of models) if (found === undefined || score(model) > score(found)) found = model;
  return found;
}
