import { bundleReach, entryOfBundle, type BundleReachOptions } from './bundles/bundle-entry.ts';
import type { ReadManifest } from './bundles/manifest.ts';
import type { UnpackedBundle } from './bundles/unpack-bundle.ts';
import type { RegistryEntry } from './registry/registry-entry.ts';
import { registryReach } from './registry/registry-reach.ts';
import type { ServerEntry } from './server-entry.ts';

/**
 * An unpacked bundle as a server of a host, which asks the user for the values that it needs.
 *
 * ```ts
 * const { manifest, bytes } = await readBundle('weather.mcpb');
 * host.servers.add(bundleServer(manifest, await unpackBundle(bytes, folder)));
 * ```
 */
export function bundleServer(
  manifest: ReadManifest,
  unpacked: UnpackedBundle,
  options: BundleReachOptions = {},
): ServerEntry {
  const { entry, inputs } = entryOfBundle(manifest, unpacked, options);
  return { ...entry, template: { inputs, fill: (values) => bundleReach(manifest, unpacked.folder, values, options) } };
}

/** One way to run a server of the registry as a server of a host, which asks the user for the values that it needs. */
export function registryServer(way: RegistryEntry): ServerEntry {
  return { ...way.entry, template: { inputs: way.inputs, fill: (values) => registryReach(way, values) } };
}
