import type { JsonObject } from '../jsonrpc/message.ts';
import type { CapabilityPath } from '../protocol/capabilities.ts';
import { ProtocolError } from '../protocol/errors.ts';

/** The caller speaks a version that this side does not. `requested` is what it named, whatever that was. */
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

/** The caller did not declare what the request needs. The data holds the missing capabilities as an object of capabilities. */
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
