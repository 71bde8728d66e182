import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';

/** Examples that other programs import. All others under `examples/` are programs, or a demonstration that lets everybody in. */
const LIBRARY_EXAMPLES = ['examples/client/simpleOAuthClientProvider.js', 'examples/shared/inMemoryEventStore.js'];

const folder = dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/sdk/types.js'));
const root = join(folder, '../..');

/** The files that the pattern in the `exports` of the installed official package publishes. */
export const officialFiles: readonly string[] = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll(sep, '/'))
  .filter((path) => path.endsWith('.js') && (!path.startsWith('examples/') || LIBRARY_EXAMPLES.includes(path)))
  .sort();

const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: Record<string, { import: string }>;
};

/** The paths in its `exports` that have no file name, such as `client`. What they name has to be there: `.` names a file that is not. */
export const officialNames: readonly string[] = Object.entries(exports)
  .filter(([key, target]) => !key.includes('*') && existsSync(join(root, target.import)))
  .map(([key]) => key.slice('./'.length));
