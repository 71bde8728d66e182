import { spend } from '../budget.ts';
import { type Check, checkAt, isObject, isSettled, nothing, refuse } from './check.ts';
import { addEvaluated, type Evaluated, nothingEvaluated } from './evaluated.ts';
import { readOne, type SchemaNode } from './schema-node.ts';

/** Wraps the checks of a schema so that `unevaluated…` sees which members they evaluated. */
export function withUnevaluated(node: SchemaNode, check: Check): Check {
  if (!node.dialect.unevaluated || node.dialect.draft === 'draft-07') return check;
  const properties = readOne(node, 'unevaluatedProperties');
  const items = readOne(node, 'unevaluatedItems');
  if (properties === undefined && items === undefined) return check;
  return (value, run, seen) => {
    const own = nothingEvaluated();
    let ok = check(value, run, own);
    if (!ok && isSettled(run)) return false;
    if (properties !== undefined) ok = remainingMembers(properties, value, { run, own }) && ok;
    if (items !== undefined) ok = remainingItems(items, value, { run, own }) && ok;
    if (seen !== undefined) addEvaluated(seen, own, run);
    return ok;
  };
}

interface Tracking {
  readonly run: Parameters<Check>[1];
  readonly own: Evaluated;
}

function remainingMembers(check: Check, value: unknown, { run, own }: Tracking): boolean {
  if (!isObject(value) || own.everyKey) return true;
  let ok = true;
  for (const name in value) {
    spend(run, 1);
    if (!Object.hasOwn(value, name) || value[name] === undefined || own.keys.has(name)) continue;
    if (check === nothing)
      refuse(run, 'unevaluatedProperties', `unknown property ${JSON.stringify(name.slice(0, 200))}`);
    else if (checkAt(check, value[name], name, run)) continue;
    ok = false;
    if (isSettled(run)) return false;
  }
  own.everyKey = true;
  return ok;
}

function remainingItems(check: Check, value: unknown, { run, own }: Tracking): boolean {
  if (!Array.isArray(value) || own.everyItem) return true;
  let ok = true;
  for (let index = own.firstItems; index < value.length; index++) {
    spend(run, 1);
    if (own.items.has(index)) continue;
    if (check === nothing) refuse(run, 'unevaluatedItems', `unexpected item at index ${index}`);
    else if (checkAt(check, value[index], index, run)) continue;
    ok = false;
    if (isSettled(run)) return false;
  }
  own.everyItem = true;
  return ok;
}
