// Makes a release. npm run release -- --help
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PACKAGES, ROOT, manifestOf } from './packages.mjs';
import { withRelease } from './release/changelog.mjs';
import { releaseFaults } from './release/faults.mjs';

const HELP = `Makes a release: one version for all packages.

  npm run release -- --set 0.3.0   writes the version into every package and the changelog; read the difference and commit it
  npm run release                  checks everything, packs every package into release/, and tags the commit
  npm run release -- --no-tag      the same without the tag
  npm run release -- --fast        leaves out the tests, for a rehearsal; never tags
  npm run release -- --verify 0.3.0   for what is tagged already: checks and packs it, if it is this version

Nothing is sent anywhere. Pushing the tag publishes: the workflow release.yml runs the same checks and publishes with provenance.`;

const { values } = parseArgs({
  options: {
    set: { type: 'string' },
    'no-tag': { type: 'boolean', default: false },
    fast: { type: 'boolean', default: false },
    verify: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const CHANGELOG = join(ROOT, 'CHANGELOG.md');
const OUT = join(ROOT, 'release');
const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();

/** Ends the process where a command fails; it has said why itself. */
function run(command, args, cwd = ROOT) {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) process.exit(status ?? 1);
}

function setVersion(version) {
  if (!/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version)) throw new Error(`${version} is no version.`);
  const names = new Set(PACKAGES.map(({ name }) => name));
  const today = new Date().toISOString().slice(0, 10);
  const changelog = withRelease(readFileSync(CHANGELOG, 'utf8'), version, today);
  for (const one of PACKAGES) {
    const manifest = { ...manifestOf(one), version };
    for (const needed of Object.keys(manifest.dependencies ?? {}))
      if (names.has(needed)) manifest.dependencies[needed] = version;
    writeFileSync(join(one.folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  }
  writeFileSync(CHANGELOG, changelog);
  run('npm', ['install', '--package-lock-only', '--ignore-scripts']);
  console.log(`\nEvery package has version ${version}. Read the difference, commit it, then: npm run release`);
}

/** The name and the checksum of each packed file, as they are printed and as people compare them. */
function pack() {
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(OUT);
  return PACKAGES.map(({ folder }) => {
    const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', OUT], {
      cwd: folder,
      encoding: 'utf8',
      shell: process.platform === 'win32',
    });
    const [{ filename, size }] = JSON.parse(packed);
    const bytes = readFileSync(join(OUT, filename));
    return { filename, size, sha512: createHash('sha512').update(bytes).digest('base64') };
  });
}

function release() {
  const { verify: tagged } = values;
  const version = tagged ?? manifestOf(PACKAGES[0]).version;
  const faults = releaseFaults({
    version,
    manifests: PACKAGES.map(manifestOf),
    changelog: readFileSync(CHANGELOG, 'utf8'),
    isClean: git('status', '--porcelain') === '',
    tags: tagged === undefined ? git('tag', '--list').split('\n') : [],
  });
  if (faults.length > 0) {
    console.error(`${version} cannot be released:\n${faults.map((fault) => `- ${fault}`).join('\n')}`);
    process.exit(1);
  }
  run('npm', ['run', 'check', ...(values.fast ? ['--', '--fast'] : [])]);
  for (const { filename, size, sha512 } of pack()) console.log(`release/${filename}  ${size} bytes  sha512-${sha512}`);
  if (values['no-tag'] || values.fast || tagged !== undefined) return;
  git('tag', '--annotate', `v${version}`, '--message', `Crosspoint ${version}`);
  console.log(`Tagged v${version}. To publish: git push --follow-tags`);
}

if (values.help) console.log(HELP);
else if (values.set === undefined) release();
else setVersion(values.set);
