import { isPerRequest, type Cell } from './cells.ts';
import type { Difference } from './compare.ts';

/** A difference that the bridge cannot avoid, and why. */
interface Allowed {
  readonly what: string;
  readonly reason: string;
  /** Whether this difference is one of them. */
  covers(difference: Difference, cell: Cell): boolean;
}

const at =
  (path: RegExp) =>
  (difference: Difference): boolean =>
    path.test(difference.path);

/** Everything that a client may see differently through the bridge. */
const ALLOWED: readonly Allowed[] = [
  {
    what: 'Tasks are declared as the extension, or as the capability of the older generation.',
    reason: 'Each generation has a place of its own; the bridge serves both.',
    covers: at(/^about › outcome › capabilities › (?:tasks|extensions)\b/),
  },
  {
    what: 'Listed tools have no `execution`, or one that the bridge has made.',
    reason:
      'In the per-request family the server alone decides about tasks and tools say nothing of it; a client of the handshake family may ask for one of any tool of such a server.',
    covers: ({ path, direct, bridged }) =>
      /^list tools › .* › execution$/.test(path) && (bridged === undefined || direct === undefined),
  },
  {
    what: 'A page that is asked for has no `elicitationId`.',
    reason:
      'The per-request family has no such id; the bridge keeps it, and holds the answer until the server says that the page is done.',
    covers: ({ path, bridged }) => /^(?:ask|call) .* › params › elicitationId$/.test(path) && bridged === undefined,
  },
  {
    what: 'A page that is asked for has an `elicitationId` of the bridge.',
    reason: 'The handshake family cannot do without one, and a server of the other family has none.',
    covers: ({ path, direct }, { client }) =>
      client === 'one' && /^ask .* › params › elicitationId$/.test(path) && direct === undefined,
  },
  {
    what: 'The error for a resource that does not exist has the number of the client’s family, -32002 or -32602.',
    reason: 'The families have different numbers for it.',
    covers: ({ path, direct, bridged }) =>
      /^read .* › error › code$/.test(path) &&
      [-32002, -32602].includes(Number(direct)) &&
      [-32002, -32602].includes(Number(bridged)),
  },
  {
    what: 'A tool that must run as a task can be called by a client that cannot ask for tasks.',
    reason: 'The bridge asks for the task.',
    covers: ({ path, direct }) =>
      path.startsWith('task ') &&
      (direct === undefined || direct === true || (typeof direct === 'string' && /requires task/.test(direct))),
  },
  {
    what: 'A tool that does not exist, called as a task, fails as a task.',
    reason: 'The server has no tasks, so that the bridge makes one of the call before the server is asked.',
    covers: ({ path, bridged }, { client, server }) =>
      client === 'one' &&
      server === 'two' &&
      /^task .* › error › (?:code|message)$/.test(path) &&
      (bridged === -32603 || (typeof bridged === 'string' && bridged.startsWith('Task <id> failed'))),
  },
  {
    what: 'A log message that a server of the handshake family sends on its standing stream does not arrive.',
    reason:
      'It comes on another connection than the answer to the call, and often after it: a client of the per-request family can then not be told anything.',
    covers: ({ path, bridged }, { client, server, carrier }) =>
      client !== 'one' &&
      carrier === 'http' &&
      !isPerRequest(server) &&
      /^log(?: .*)? › outcome › logs › \d+$/.test(path) &&
      bridged === undefined,
  },
];

/** The differences that no row of the table covers. */
export function unexplained(found: readonly Difference[], cell: Cell): Difference[] {
  return found.filter((difference) => !ALLOWED.some((row) => row.covers(difference, cell)));
}
