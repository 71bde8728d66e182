// `npm run docs` builds the site into site/dist; with --serve it is served on loopback until interrupted, on PORT or a free port.
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { buildSite } from './build-site.mjs';
import { serveSite } from './serve-site.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = join(root, 'site', 'dist');
const { pages, bytes } = buildSite({ root, out });
console.log(`${pages.length} pages, ${Math.round(bytes / 1024)} KB, in site/dist.`);

if (process.argv.includes('--serve')) {
  const site = await serveSite(out, Number(process.env['PORT'] ?? 0));
  console.log(`Serving at ${site.url} until interrupted.`);
}
