import { join } from 'node:path';
import { bundleServer, readBundle, unpackBundle, type ServerEntry, type UnpackedBundle } from '@crosspoint/host/config';
import { CliError } from '../errors/cli-error.ts';
import type { Home } from '../place/home.ts';

export interface OpenedBundle {
  readonly entry: ServerEntry;
  readonly unpacked: UnpackedBundle;
}

/** Unpacks a bundle into the folder of the user's bundles. Nothing of it is run. */
export async function openBundle(file: string, home: Pick<Home, 'stateFolder'>): Promise<OpenedBundle> {
  const { manifest, bytes, problems } = await readBundle(file).catch((error: NodeJS.ErrnoException) => {
    throw typeof error.code === 'string'
      ? new CliError('usage', `The bundle ${file} cannot be read (${error.code}).`, { cause: error })
      : error;
  });
  if (manifest === undefined)
    throw new CliError(
      'usage',
      `The bundle ${file} cannot be used: ${problems.map(({ message }) => message).join(' ')}`,
    );
  const unpacked = await unpackBundle(bytes, join(home.stateFolder, 'bundles'));
  return { entry: bundleServer(manifest, unpacked), unpacked };
}
