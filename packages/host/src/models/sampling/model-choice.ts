import { chooseModel } from 'crosspoint/client';
import { matchesGlob } from '../../values/glob.ts';
import { isObject, type Json, type JsonObject } from '../../values/json.ts';
import type { ModelInfo, ModelProvider } from '../model.ts';

/** A model and the provider that has it. */
export interface OfferedModel extends ModelInfo {
  readonly provider: ModelProvider;
}

export interface ModelChoice {
  /** The model that answers; `undefined` where none is allowed. */
  readonly model: OfferedModel | undefined;
  /** The hint of the server that means models, but none that it may use. */
  readonly forbidden?: string;
}

const LONGEST_HINT = 200;
const MOST_HINTS = 20;

/** Chooses by the preferences of a server among the models that its rule allows. Patterns match the name, or provider and name: `local/*`. */
export function choose(
  offered: readonly OfferedModel[],
  preferences: Json | undefined,
  patterns: readonly string[] | undefined,
): ModelChoice {
  const allowed = offered.filter((model) => isAllowed(model, patterns));
  const wanted = preferencesOf(preferences);
  const model = chooseModel(allowed, wanted);
  const forbidden = wanted.hints.find(({ name }) => isMeant(offered, name) && !isMeant(allowed, name))?.name;
  return { model, ...(forbidden !== undefined && { forbidden }) };
}

function isAllowed({ name, provider }: OfferedModel, patterns: readonly string[] | undefined): boolean {
  return (
    patterns?.some((pattern) => matchesGlob(pattern, name) || matchesGlob(pattern, `${provider.name}/${name}`)) ?? true
  );
}

function isMeant(models: readonly OfferedModel[], hint: string): boolean {
  const wanted = hint.toLowerCase();
  return models.some(({ name, aliases = [] }) =>
    [name, ...aliases].some((known) => known.toLowerCase().includes(wanted)),
  );
}

/** Preferences of a server or of an edit, whatever they hold. */
function preferencesOf(given: Json | undefined): { hints: { name: string }[] } & Record<string, unknown> {
  const preferences: JsonObject = given !== undefined && isObject(given) ? given : {};
  const hints: readonly Json[] = Array.isArray(preferences['hints']) ? preferences['hints'] : [];
  const names = hints.slice(0, MOST_HINTS).flatMap((hint) => (isObject(hint) ? [hint['name']] : []));
  const priorities = ['costPriority', 'speedPriority', 'intelligencePriority'].flatMap((name) => {
    const value = preferences[name];
    return typeof value === 'number' && Number.isFinite(value)
      ? [[name, Math.min(Math.max(value, 0), 1)] as const]
      : [];
  });
  return {
    hints: names.flatMap((name) =>
      typeof name === 'string' && name !== '' ? [{ name: name.slice(0, LONGEST_HINT) }] : [],
    ),
    ...Object.fromEntries(priorities),
  };
}
