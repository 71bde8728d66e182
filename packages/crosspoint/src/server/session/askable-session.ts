import type { Askable } from '../asking/questions.ts';
import type { Connection } from './connection.ts';

/** The client of a session, as it can be asked outside of any request. */
export function askableSession(connection: Connection): Askable {
  return {
    capabilities: connection.capabilities,
    family: 'handshake',
    ask: (ask, options) => connection.askSession(ask, options),
  };
}
