/**
 * The callbacks that programs hand to the gateway, and what each is tried with. A name in a list is that of a driver, which has the callback go wrong because of
 * something that a server or a client does. Text says why there is none.
 */
import type { Entry } from '../../../crosspoint/test/guard/table.ts';

const GIVEN = 'The library makes it, and programs call it.';
const A_PART = 'Makes the bridge of a program while it starts: without one there is no program.';
const A_PROGRAM = 'Told while a program reads its command line: a failure there is the failure of that program.';
const OF_CLIENTS = 'Middleware of clients, which is tried in the table of the library.';

const OF_SOURCES = 'Tried with the source itself, in packages/gateway/test/source/.';

export const TABLE: Readonly<Record<string, Entry>> = {
  BridgeOptions: { middleware: OF_CLIENTS, onproblem: ['bridge.onproblem'] },
  Upstream: { connect: ['upstream.connect'], close: ['upstream.close'] },
  fromClient: { '(connectFor)': OF_SOURCES },
  FromClientOptions: { groupOf: OF_SOURCES },
  BridgeRecorder: GIVEN,
  Children: GIVEN,
  ChildrenOptions: { onproblem: ['children.onproblem'], onstderr: ['children.onstderr'] },
  ServeBridgeOptions: { make: A_PART },
  SourceReader: { 'constructor(warn)': A_PROGRAM },
};
