import { readFileSync } from 'node:fs';

/** The version of this package. Sources and built files are both two folders below its manifest. */
export function versionOf(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
