import { keepText } from '../../jsonrpc/serialise.ts';
import type { JSONRPCNotification } from '../../jsonrpc/message.ts';
import type { Revision } from '../../revisions/revision.ts';
import { changeNotification, type Change } from './listening.ts';

type Words = JSONRPCNotification | undefined;

const written = new WeakMap<Change, Map<Revision, Words>>();

/**
 * The notification of a change in the words of a revision, `undefined` where it has none. Made once for all who are told of the change, with
 * its text; so nobody may alter it.
 */
export function changeWords(change: Change, revision: Revision): Words {
  let known = written.get(change);
  if (known === undefined) written.set(change, (known = new Map<Revision, Words>()));
  if (known.has(revision)) return known.get(revision);
  const words = writeWords(change, revision);
  known.set(revision, words);
  return words;
}

function writeWords(change: Change, revision: Revision): Words {
  const { method, params } = changeNotification(change);
  const own = revision.writeNotification(method, params);
  return own && keepText(Object.freeze({ jsonrpc: '2.0', method, params: Object.freeze({ ...own }) } as const));
}
