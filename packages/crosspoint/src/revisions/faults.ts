import type { JsonObject } from '../jsonrpc/message.ts';
import type { CapabilityPath } from '../protocol/capabilities.ts';
import { ProtocolError } from '../protocol/errors.ts';

/** The error for a version that this side does not speak. `requested` is the value that the caller named, of any type. */
export function unsupportedVersion(requested: unknown, supported: readonly string[]): ProtocolError {
  const named = typeof requested === 'string' ? requested : (JSON.stringify(requested) ?? '');
  return new ProtocolError(
    'unsupported-version',
    `Unsupported protocol version: ${named}. Supported: ${supported.join(', ')}.`,
    {
      supported: [...supported],
      requested: named,
    },
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
