import { isObject } from '../values/json.ts';

/** The part of a `ToolView` that outlives the process, as JSON. */
export interface ToolViewState {
  readonly version: 1;
  /** Names in the catalogue of the tools that were loaded, in that order. */
  readonly loaded: readonly string[];
}

/** Tools that a conversation can load. */
export const MAX_LOADED = 1000;
const MAX_NAME = 64;

/** Reads a state that was saved. Throws a `TypeError` that says what is wrong with it. */
export function loadedIn(state: unknown): Set<string> {
  if (!isObject(state) || state['version'] !== 1)
    throw new TypeError('The state of a tool view is no state of version 1: give what its "state" was.');
  const { loaded } = state;
  if (!Array.isArray(loaded) || loaded.length > MAX_LOADED || !loaded.every(isName))
    throw new TypeError(
      `The state of a tool view has no list of at most ${MAX_LOADED} names of tools as its "loaded": give what its "state" was.`,
    );
  return new Set(loaded);
}

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= MAX_NAME;
