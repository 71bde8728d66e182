// The path of a new user, from the packages as they would be published: install, server, client, an editor's configuration, HTTP, two nodes on one
// store, login, in TypeScript and in JavaScript; every project that `npm create crosspoint` writes, and
// `npx @crosspoint/cli` with those that it writes. Needs redis-server. Ends with 1 when
// anything failed.
//   npm run first-hour               all of it
//   npm run first-hour -- project    the steps whose name contains one of these words
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis } from './chaos/redis.mjs';
import { tryCommandLine } from './first-hour/command-line.mjs';
import { npm } from './first-hour/folder.mjs';
import { byHand, firstPages, inHosts, inTypeScript, overHttp } from './first-hour/guide.mjs';
import { PROJECTS, tryProject } from './first-hour/projects.mjs';
import { WAYS, tryPrograms } from './first-hour/ways.mjs';
import { ROOT, manifestOf } from './packages.mjs';
import { packReleases, startRegistry } from './swap/registry.mjs';

const AT_ONCE = 2;
const started = performance.now();
const wanted = process.argv.slice(2);
const root = mkdtempSync(join(tmpdir(), 'crosspoint-first-hour-'));
const folder = join(root, 'greeter');
mkdirSync(folder);

const releases = await packReleases(join(root, 'releases'));
const registry = await startRegistry(releases);
const redis = await startRedis({ keeps: false });
// The command has a cache of its own: npm keeps a command by its version, and what is packed anew has the same.
const context = { registry: registry.address, cache: join(root, 'cache') };
let failed = 0;

/** Runs a step and prints a line for it. */
async function step(name, act) {
  const since = performance.now();
  const error = await act().then(
    () => undefined,
    (reason) => reason,
  );
  const seconds = `${((performance.now() - since) / 1000).toFixed(1)} s`;
  console.log(`${error === undefined ? 'ok  ' : 'FAIL'}  ${name.padEnd(50)}${seconds.padStart(8)}`);
  if (error === undefined) return;
  failed += 1;
  console.log(String(error.stack ?? error).replaceAll(/^/gm, '      '));
}

async function install() {
  const { devDependencies } = manifestOf({ folder: ROOT });
  const redisClient = `@redis/client@${devDependencies['@redis/client']}`;
  const inFolder = { registry: registry.address, cwd: folder };
  await npm(['init', '-y'], inFolder);
  await npm(['install', 'crosspoint', '@crosspoint/authorization-server', 'zod', redisClient], inFolder);
  await npm(['install', '--save-dev', 'typescript', '@types/node'], inFolder);
  const help = await npm(['create', '--yes', 'crosspoint', '--', '--help'], { ...context, cwd: root });
  if (!help.includes('npm create crosspoint')) throw new Error(`npm create crosspoint -- --help printed ${help}`);
}

/** The steps after the installation, which do not touch each other's files. */
const STEPS = [
  {
    name: 'the guide: server, client, hosts, HTTP, TypeScript',
    act: async () => {
      await byHand(folder);
      await inHosts(folder);
      await overHttp(folder);
      await inTypeScript(folder);
      await firstPages(folder);
    },
  },
  ...WAYS.map(({ name, prepare }, at) => ({
    name: `${name}: stdio, HTTP, two nodes, login`,
    act: async () => tryPrograms(await prepare(join(folder, `way-${at}`)), redis.url),
  })),
  { name: 'command line: npx @crosspoint/cli', act: () => tryCommandLine({ ...context, folder: root }) },
  ...PROJECTS.map((project) => ({
    name: `project: ${project.kind}, ${project.transport}, ${project.language}`,
    act: () => tryProject(project, { ...context, folder: root }),
  })),
].filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)));

try {
  await step('npm init, npm install', install);
  const waiting = [...STEPS];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await step(next.name, next.act);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
} finally {
  registry.close();
  await redis.close();
  rmSync(root, { recursive: true, force: true });
}
const all = STEPS.length + 1;
console.log(`\n${all - failed} of ${all} steps passed, in ${((performance.now() - started) / 1000).toFixed(0)} s.`);
if (failed > 0 || STEPS.length === 0) process.exitCode = 1;
