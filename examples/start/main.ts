/** `npm start`: serves the examples, tours one of them in every revision, and leaves the prompt of `crosspoint shell` with all of them. */
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { run } from '@crosspoint/cli';
import { tour } from '../tour/tour.ts';
import { startHttpServers, type HttpServers } from './http-servers.ts';
import { OwnFolder } from './own-folder.ts';
import { firstLine, readyText } from './texts.ts';

const CLI = fileURLToPath(new URL('../bin/crosspoint.mjs', import.meta.resolve('@crosspoint/cli')));
/** Lines that were typed at earlier starts. */
const HISTORY = fileURLToPath(new URL('../../../.cache/start-history', import.meta.url));

const hasTerminal = process.stdin.isTTY && process.stdout.isTTY && process.stderr.isTTY;
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort());

/** Opens the host with the servers, says so, and takes lines; without a terminal none come, and only a signal ends it. */
async function shell(folder: OwnFolder, { origin, entries }: HttpServers): Promise<void> {
  const names = await folder.configure(entries);
  const env = { ...process.env, CROSSPOINT_HOME: folder.path };
  if (!stop.signal.aborted)
    await run(['shell', '--history', HISTORY, ...names], CLI, {
      env,
      ...(!hasTerminal && { stdin: new PassThrough() }),
      onshell: (servers) => console.log(readyText(servers, origin, hasTerminal)),
    });
  if (folder.hasKept) await run(['close', '--all'], CLI, { env });
}

console.log(firstLine(hasTerminal));
const folder = new OwnFolder();
const http = await startHttpServers(Number(process.env['PORT'] ?? 3000));
try {
  await tour(http.origin, stop.signal);
  await shell(folder, http);
} finally {
  await http.close();
  folder.remove();
}
