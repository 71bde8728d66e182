import { isObject, type Json, type JsonObject } from '../../values/json.ts';

/** `{ other }` with the members that are not in `known`; `{}` when there are none. */
export function membersBeside(value: JsonObject, known: readonly string[]): { other?: JsonObject } {
  const left = Object.entries(value).filter(([key]) => !known.includes(key));
  return left.length === 0 ? {} : { other: Object.fromEntries(left) };
}

/** Both objects as one; where both have an object, its members are joined too. Members of `first` win otherwise. */
export function joined(first: JsonObject, second: JsonObject): JsonObject {
  const result: Record<string, Json | undefined> = { ...first };
  for (const [key, value] of Object.entries(second)) {
    const own = Object.hasOwn(first, key) ? first[key] : undefined;
    result[key] = isObject(own) && isObject(value) ? joined(own, value) : (own ?? value);
  }
  return result;
}

/** The ways to the members of an object that are no objects themselves, or are empty. */
export function leavesOf(value: JsonObject, path: readonly string[] = []): (readonly string[])[] {
  return Object.entries(value).flatMap(([key, member]) => {
    const here = [...path, key];
    return isObject(member) && Object.keys(member).length > 0 ? leavesOf(member, here) : [here];
  });
}
