// The entries of the official packages, and the entries of ours that they are compared with.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PACKAGES, entriesOf } from '../packages.mjs';

/** The main entries of v2 and ours: a side, the part that both sides share, and the part for authorization. */
const V2 = [
  { theirs: '@modelcontextprotocol/server', ours: ['./server', '.', './auth/server'] },
  { theirs: '@modelcontextprotocol/server/stdio', ours: ['./server/stdio'] },
  { theirs: '@modelcontextprotocol/client', ours: ['./client', '.', './auth'] },
  { theirs: '@modelcontextprotocol/client/stdio', ours: ['./client/stdio'] },
];

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** The JavaScript file of one of our entries; `undefined` for an entry that we do not have. */
function ourFile(name, entry) {
  const one = PACKAGES.find((each) => each.name === name);
  const found = entriesOf(one).find(({ specifier }) => specifier === `${name}${entry.slice(1)}`);
  return found && join(one.folder, 'dist', `${found.source}.js`);
}

/** v1 publishes every file it has; an entry point is one with declarations that is neither an example nor its command line. */
function v1Entries(root) {
  const folder = join(root, 'node_modules', '@modelcontextprotocol', 'sdk', 'dist', 'esm');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll(sep, '/'))
    .filter((path) => path.endsWith('.d.ts') && !path.startsWith('examples/') && path !== 'cli.d.ts')
    .map((path) => path.slice(0, -'.d.ts'.length))
    .sort()
    .map((path) => ({
      name: `${path}.js`,
      theirs: join(folder, `${path}.js`),
      ours: [ourFile('@crosspoint/sdk', `./${path}.js`)].filter((file) => file !== undefined),
    }));
}

function v2Entries(root) {
  return V2.map(({ theirs, ours }) => {
    const [scope, name, ...rest] = theirs.split('/');
    const folder = join(root, 'node_modules', scope, name);
    const entry = rest.length === 0 ? '.' : `./${rest.join('/')}`;
    return {
      name: theirs,
      theirs: join(folder, readJson(join(folder, 'package.json')).exports[entry].import.default),
      ours: ours.map((one) => ourFile('crosspoint', one)),
    };
  });
}

/** A module's declarations are beside it. */
export const declarationFile = (path) => path.replace(/\.js$/, '.d.ts').replace(/\.mjs$/, '.d.mts');
export const urlOf = (path) => pathToFileURL(path).href;

export function entryPoints(root) {
  const entries = { v1: v1Entries(root), v2: v2Entries(root) };
  for (const { ours } of [...entries.v1, ...entries.v2])
    for (const file of ours) if (!existsSync(file)) throw new Error(`${file} is not built: run "npm run build" first.`);
  return entries;
}
