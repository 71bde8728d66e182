/**
 * The callbacks that programs hand to the gateway, and what each is tried with. A name in a list is that of a driver, which has the callback go wrong because of
 * something that a server or a client does. Text says why there is none.
 */
import type { Entry } from '../../../crosspoint/test/guard/table.ts';

const GIVEN = 'The library makes it, and programs call it.';
const A_PART =
  'A part of the program, which is put together by the one that starts it: without the part there is no program.';
const OF_CLIENTS = 'Middleware of clients, which is tried in the table of the library.';

export const TABLE: Readonly<Record<string, Entry>> = {
  BridgeOptions: { middleware: OF_CLIENTS, onproblem: ['bridge.onproblem'] },
  Upstream: { connect: ['upstream.connect'], close: ['upstream.close'] },
  Children: GIVEN,
  ChildrenOptions: { onproblem: ['children.onproblem'], onstderr: ['children.onstderr'] },
  ProgramParts: A_PART,
  SessionRecorder: A_PART,
};
