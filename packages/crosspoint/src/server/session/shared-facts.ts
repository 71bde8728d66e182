import type { JsonObject } from '../../jsonrpc/message.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { Implementation } from '../../protocol/implementation.ts';
import type { Facts } from '../../protocol/outcome.ts';

const MAX_SHARED = 100;
const MAX_LENGTH = 4096;
/** No client has more to say of itself, and each session keeps it. */
const LONGEST = 65_536;

const shared = new Map<string, Facts>();

/**
 * What a handshake says of its client, as one object for all clients that say the same: they may be thousands, and most are the same program.
 * It is frozen, so that nobody can alter what is known of another. Throws for a client that says too much of itself.
 */
export function sharedFacts(client: JsonObject, capabilities: JsonObject): Facts {
  const text = JSON.stringify([client, capabilities]);
  if (text.length > LONGEST)
    throw new ProtocolError('invalid-params', `clientInfo and capabilities take no more than ${LONGEST} characters.`);
  const known = shared.get(text);
  if (known !== undefined) return known;
  // A copy: what a client in the same process gave is its own.
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
