import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { layout } from './layout.mjs';
import { renderMarkdown } from './markdown.mjs';
import { collectPages } from './pages.mjs';
import { searchIndex } from './search-index.mjs';

const ASSETS = fileURLToPath(new URL('assets', import.meta.url));

/** Builds the whole site into `out`, replacing its content. Returns the pages. */
export function buildSite({ root, out }) {
  const sections = collectPages(root);
  const pages = sections.flatMap(({ title, pages: listed }) => listed.map((page) => ({ ...page, section: title })));
  const files = new Set(pages.map(({ file }) => file));
  const rendered = pages.map((page) => ({
    ...page,
    ...renderMarkdown(page.source, { file: page.file, isPage: (file) => files.has(file) }),
  }));
  rmSync(out, { recursive: true, force: true });
  let bytes = 0;
  const write = (name, text) => {
    mkdirSync(dirname(join(out, name)), { recursive: true });
    writeFileSync(join(out, name), text);
    bytes += Buffer.byteLength(text);
  };
  rendered.forEach((page, at) =>
    write(page.address, layout(page, { sections, previous: rendered[at - 1], next: rendered[at + 1] })),
  );
  write('assets/search-index.js', `window.crosspointSearch=${JSON.stringify(searchIndex(rendered))};\n`);
  write(
    'assets/minisearch.js',
    readFileSync(join(root, 'node_modules/minisearch/dist/umd/index.js'), 'utf8').replace(
      /^\/\/# sourceMappingURL=.*$/m,
      '',
    ),
  );
  cpSync(ASSETS, join(out, 'assets'), { recursive: true });
  cpSync(join(root, 'docs/pictures'), join(out, 'pictures'), { recursive: true });
  return { pages: rendered, bytes };
}
