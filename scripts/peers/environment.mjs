// The environment that every peer is started with.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../packages.mjs';

/** Loaded into every process: the first lets it listen on loopback alone, the second lets it reach nothing else. */
const PRELOADED = ['conformance/loopback.mjs', 'peers/no-network.mjs'].map(
  (file) => pathToFileURL(join(ROOT, 'scripts', file)).href,
);

/** A home folder of its own, loopback alone, and no statistics. */
export function peerEnvironment(folder) {
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  return {
    HOME: home,
    USERPROFILE: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    NODE_OPTIONS: PRELOADED.map((file) => `--import=${file}`).join(' '),
    NODE_NO_WARNINGS: '1',
    DO_NOT_TRACK: '1',
    CI: '1',
  };
}
