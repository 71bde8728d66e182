// Upgrades published servers with `crosspoint upgrade`, as the people who wrote them would: the package itself is the project.
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../packages.mjs';
import { npmCommand } from '../runtimes/install.mjs';
import { run } from '../runtimes/processes.mjs';
import { sdkCopiesIn } from './installations.mjs';

const LIMIT_MS = 300_000;
const CROSSPOINT = join(ROOT, 'packages', 'cli', 'bin', 'crosspoint.mjs');
const REVISIONS = 5;

async function done(command, cwd, env) {
  const { code, stdout, output } = await run(command, { cwd, env, limitMs: LIMIT_MS });
  if (code !== 0) throw new Error(`${command.slice(0, 4).join(' ')} ended with ${code}: ${output.trim().slice(-800)}`);
  return stdout;
}

function expectCopies(folder, wanted) {
  const copies = sdkCopiesIn(folder);
  if (copies.length === 0 || copies.some((name) => name !== wanted))
    throw new Error(`${wanted} was expected everywhere, and there is ${copies.join(', ') || 'none'}.`);
}

/**
 * Unpacks the server, installs it with v1, upgrades it, and undoes that. Gives the table of revisions. Throws when one is not spoken, or a file is not as it was.
 */
export async function tryUpgrade({ name, version, args }, { work, registry }) {
  const place = join(work, `upgrade-${name.replaceAll(/\W+/g, '_')}`);
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  const env = {
    CROSSPOINT_HOME: join(place, 'home'),
    npm_config_registry: registry,
    npm_config_omit: 'dev',
    npm_config_ignore_scripts: 'true',
    npm_config_prefer_offline: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_loglevel: 'error',
  };
  await done(npmCommand(['pack', `${name}@${version}`]), place, env);
  const tarball = readdirSync(place).find((file) => file.endsWith('.tgz'));
  await done(['tar', '-xzf', tarball], place, env);
  const folder = join(place, 'package');
  const manifest = readFileSync(join(folder, 'package.json'), 'utf8');
  await done(npmCommand(['install']), folder, env);
  expectCopies(folder, '@modelcontextprotocol/sdk');
  const command = args === undefined ? [] : ['--', process.execPath, join(folder, 'dist/index.js'), place];
  const upgraded = await done([process.execPath, CROSSPOINT, 'upgrade', folder, '--json', ...command], place, env);
  expectCopies(folder, '@crosspoint/sdk');
  const { revisions } = JSON.parse(upgraded.trim().split('\n').at(-1));
  if (revisions.length !== REVISIONS || revisions.some(({ isConnected, tools }) => !isConnected || tools === 0))
    throw new Error(`Not every revision is spoken: ${JSON.stringify(revisions)}`);
  await done([process.execPath, CROSSPOINT, 'upgrade', folder, '--undo', '--json'], place, env);
  expectCopies(folder, '@modelcontextprotocol/sdk');
  if (readFileSync(join(folder, 'package.json'), 'utf8') !== manifest)
    throw new Error('package.json is not as it was before the upgrade.');
  return revisions;
}
