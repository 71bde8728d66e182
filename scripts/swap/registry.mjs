// A registry on loopback that has our packages as they would be published. It sends everything else on to the registry that npm is
// configured with, by redirects: proxies and the cache of npm stay in use. Credentials do not cross a redirect.
import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { PACKAGES, ROOT, manifestOf } from '../packages.mjs';
import { npmCommand } from '../runtimes/install.mjs';
import { run } from '../runtimes/processes.mjs';

const NPM_MS = 60_000;

async function npm(args, cwd) {
  const { code, stdout, output } = await run(npmCommand([...args, '--loglevel=error']), { cwd, limitMs: NPM_MS });
  if (code !== 0) throw new Error(`npm ${args.join(' ')} failed: ${output.trim().slice(-600)}`);
  return stdout.trim();
}

/**
 * @typedef {object} Release
 * @property {string} name
 * @property {string} version
 * @property {string} tarball absolute path
 * @property {string} integrity
 * @property {object} manifest
 */

/**
 * Packs every package of this repository into `folder`.
 * @param {string} folder absolute
 * @returns {Promise<Release[]>}
 */
export async function packReleases(folder) {
  rmSync(folder, { recursive: true, force: true });
  const releases = [];
  for (const one of PACKAGES) {
    const target = join(folder, one.name);
    mkdirSync(target, { recursive: true });
    await npm(['pack', '--pack-destination', target], one.folder);
    const tarball = join(
      target,
      readdirSync(target).find((name) => name.endsWith('.tgz')),
    );
    const integrity = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
    const manifest = manifestOf(one);
    releases.push({ name: one.name, version: manifest.version, tarball, integrity, manifest });
  }
  return releases;
}

const documentOf = ({ name, version, integrity, manifest }, address) => ({
  name,
  'dist-tags': { latest: version },
  time: {
    created: '2026-01-01T00:00:00.000Z',
    modified: '2026-01-01T00:00:00.000Z',
    [version]: '2026-01-01T00:00:00.000Z',
  },
  versions: { [version]: { ...manifest, dist: { integrity, tarball: `${address}/-/${name}.tgz` } } },
});

/**
 * Serves releases until `close()` is called.
 * @param {readonly Release[]} releases
 * @returns {Promise<{ address: string, close: () => void }>}
 */
export async function startRegistry(releases) {
  const upstream = (await npm(['config', 'get', 'registry'], ROOT)).replace(/\/*$/, '');
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '/');
    const packed = releases.find(({ name }) => path === `/-/${name}.tgz`);
    const described = releases.find(({ name }) => path === `/${name}`);
    if (packed !== undefined) createReadStream(packed.tarball).pipe(response);
    else if (described !== undefined) {
      // What is packed anew has the same version: npm must not keep what it was told of an earlier one.
      response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
      response.end(JSON.stringify(documentOf(described, address)));
    } else response.writeHead(302, { location: `${upstream}${request.url}` }).end();
  });
  await new Promise((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${server.address().port}`;
  return {
    address,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
