import { readConfiguration, type ConfigFile } from '@crosspoint/host/config';

/** A file as a repository has it; `undefined` where it is missing or no configuration. */
export async function readRepositoryFile(file: string): Promise<ConfigFile | undefined> {
  const { files } = await readConfiguration({ formats: [], files: [{ file, scope: 'project' }] });
  return files.find((one) => one.file === file);
}
