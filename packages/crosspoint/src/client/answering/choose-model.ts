import type { ModelPreferences } from '../../protocol/sampling.ts';

/** A model that a host can offer. Each measure is from 0 to 1, higher is better: `cost` 1 is the cheapest. */
export interface AvailableModel {
  readonly name: string;
  /** Other names and families that servers may hint at, for models of other makers that stand in for them. */
  readonly aliases?: readonly string[];
  readonly cost?: number;
  readonly speed?: number;
  readonly intelligence?: number;
}

/**
 * The model that fits a server's preferences best. Hints are taken in order, each a part of a name, and the first that fits any model
 * decides which models are left; among those the priorities decide, and then the order given here. Preferences are advice: a host may choose
 * otherwise. `undefined` only where there is no model.
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
