import type { JsonObject } from '../jsonrpc/message.ts';
import type { CapabilityPath } from '../protocol/capabilities.ts';
import { ProtocolError } from '../protocol/errors.ts';
import type { Revision } from './revision.ts';
import type { SpokenRevisions } from './selection.ts';

/** The versions that a request may name in its `_meta`, which are those that are listed to clients. The others begin with `initialize`. */
export function namedVersions({ all }: SpokenRevisions): string[] {
  return all.filter(({ family }) => family === 'per-request').map(({ id }) => id);
}

/**
 * The error for a version that no request may name here. `requested` is the value that the caller named, of any type. The data list what may be
 * named instead; revisions with a handshake are told in words alone, because no request can be sent again with one of them.
 */
export function unsupportedVersion(requested: unknown, spoken: SpokenRevisions): ProtocolError {
  const named = typeof requested === 'string' ? requested : (JSON.stringify(requested) ?? '');
  const supported = namedVersions(spoken);
  const others = spoken.ids.filter((id) => !supported.includes(id)).join(', ');
  return new ProtocolError(
    'unsupported-version',
    `Unsupported protocol version: ${named}. Supported: ${supported.join(', ')}${others && `; after initialize: ${others}`}.`,
    { supported, requested: named },
  );
}

/** The error for a request whose caller did not declare a capability that it needs. The data holds the missing ones as an object of capabilities. */
export function missingCapability(...paths: readonly CapabilityPath[]): ProtocolError {
  const requiredCapabilities: JsonObject = {};
  for (const path of paths) {
    let level = requiredCapabilities;
    for (const key of path.split('.')) level = (level[key] ??= {}) as JsonObject;
  }
  return new ProtocolError('missing-capability', `The client did not declare ${paths.join(' and ')}.`, {
    requiredCapabilities,
  });
}

/** The error for a request to a client that cannot be sent one. */
export function noSession(method: string): ProtocolError {
  return new ProtocolError(
    'cannot-ask',
    `${method}: this client has no session. Ask it in a handler, with ctx.elicit or ctx.sample.`,
  );
}

/** The error for a question that the revision of the client cannot express. */
export function noWords(question: string, { id }: Revision): ProtocolError {
  return new ProtocolError(
    'cannot-ask',
    `${question} cannot be expressed in the protocol revision of the client, ${id}.`,
  );
}
