import type { JsonObject } from '../../jsonrpc/message.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { Implementation } from '../../protocol/implementation.ts';
import type { Facts } from '../../protocol/outcome.ts';

const MAX_SHARED = 100;
const MAX_LENGTH = 4096;
/** Most characters of a client's facts; each session keeps them. */
const LONGEST = 65_536;

const shared = new Map<string, Facts>();

/**
 * The facts of a client from its handshake, as one frozen object for all clients with the same facts: there may be thousands, and most are the same
 * program. Throws for facts that are too long.
 */
export function sharedFacts(client: JsonObject, capabilities: JsonObject): Facts {
  const text = JSON.stringify([client, capabilities]);
  if (text.length > LONGEST)
    throw new ProtocolError(
      'invalid-params',
      `clientInfo and capabilities have ${text.length} characters, and ${LONGEST} are the limit.`,
    );
  const known = shared.get(text);
  if (known !== undefined) return known;
  // A copy: the objects of a client in the same process are its own.
  const [ownClient, ownCapabilities] = JSON.parse(text, (_key, value: unknown) => Object.freeze(value)) as [
    Implementation,
    JsonObject,
  ];
  const facts: Facts = Object.freeze({ client: ownClient, capabilities: ownCapabilities });
  if (text.length > MAX_LENGTH) return facts;
  if (shared.size >= MAX_SHARED) shared.delete(shared.keys().next().value ?? '');
  shared.set(text, facts);
  return facts;
}
