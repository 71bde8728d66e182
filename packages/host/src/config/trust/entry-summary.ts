import { createHmac } from 'node:crypto';
import { canonicalJson, isObject, type Json, type JsonObject } from '../../values/json.ts';
import { hideSecrets } from '../hidden-values.ts';
import { placedTexts } from '../interpolation/resolve-entry.ts';
import { pointerTo } from '../problem.ts';
import type { ServerEntry } from '../server-entry.ts';
import { withTexts } from '../texts.ts';
import type { EntryChange } from './trust-reader.ts';

/**
 * An entry as the trust book keeps it: everything but values that are hidden. Each of those is a mark that is equal for equal values, and says
 * nothing without `salt`.
 */
export function summaryOf(entry: ServerEntry, salt: string): JsonObject {
  const { name: _name, origin: _origin, reach, ...members } = entry;
  if (reach.type === 'transport') return { reach: { type: 'transport' } };
  const kept = new Map(
    placedTexts(reach).map((placed) => {
      const shown = hideSecrets(placed);
      const mark = createHmac('sha256', salt).update(placed.text).digest('hex').slice(0, 16);
      return [placed.path.join('\0'), shown === placed.text ? shown : `${shown} (${mark})`];
    }),
  );
  const other = members.other === undefined ? {} : { other: markOf(members.other, salt) };
  const summary = {
    ...members,
    ...other,
    reach: withTexts(reach, ({ path, text }) => kept.get(path.join('\0')) ?? text),
  };
  return JSON.parse(JSON.stringify(summary)) as JsonObject;
}

/** Members of other programs may hold anything, so only that they changed is told. */
function markOf(value: JsonObject, salt: string): JsonObject {
  const marks = Object.entries(value).map(([key, member]) => [
    key,
    `‹hidden› (${createHmac('sha256', salt)
      .update(canonicalJson(member ?? null))
      .digest('hex')
      .slice(0, 16)})`,
  ]);
  return Object.fromEntries(marks) as JsonObject;
}

/** The differences between two sets of summaries, by server and member. A server that came or went has one change at its root. */
export function summaryChanges(before: JsonObject, after: JsonObject): EntryChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((server) =>
    differences(own(before, server), own(after, server), []).map((change) => ({ server, ...change })),
  );
}

function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function differences(
  before: Json | undefined,
  after: Json | undefined,
  path: readonly (string | number)[],
): Omit<EntryChange, 'server'>[] {
  if (before !== undefined && after !== undefined && canonicalJson(before) === canonicalJson(after)) return [];
  if (before === undefined && after === undefined) return [];
  if (isObject(before) && isObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return keys.flatMap((key) => differences(own(before, key), own(after, key), [...path, key]));
  }
  return [
    {
      path: pointerTo(...path),
      ...(before !== undefined && { before }),
      ...(after !== undefined && { after }),
    },
  ];
}
