import { isJsonObject, type JsonObject } from '../jsonrpc/message.ts';
import { inField, type Reducer } from './reducer.ts';

/** Experimental capabilities are objects on the wire: `true` becomes `{}`, and `false` is left out. */
export const experimentalObjects: Reducer = inField('experimental', (map) => {
  if (Object.values(map).every(isJsonObject)) return map;
  return Object.fromEntries(Object.entries(map).filter(isOn).map(asObject));
});

function isOn([, value]: [string, unknown]): boolean {
  return value !== undefined && value !== null && value !== false;
}

function asObject([name, value]: [string, unknown]): [string, JsonObject] {
  return [name, isJsonObject(value) ? value : {}];
}
