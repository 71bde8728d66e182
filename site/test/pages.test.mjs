import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dirname, join as joinAddress } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import MiniSearch from 'minisearch';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildSite } from '../build-site.mjs';
import { brokenLinks, readLinks } from '../links.mjs';
import { renderMarkdown } from '../markdown.mjs';
import { collectPages } from '../pages.mjs';
import { SEARCH_OPTIONS, searchIndex } from '../search-index.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
let sections;
let pages;

beforeAll(() => {
  sections = collectPages(root);
  pages = sections.flatMap(({ title, pages: listed }) => listed.map((page) => ({ ...page, section: title })));
});

describe('the documentation', () => {
  test('is in the navigation, every page of it once', () => {
    const written = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name.replaceAll('\\', '/')}`);
    const listed = pages.map(({ file }) => file);
    expect(listed.filter((file) => existsSync(join(root, file)) && file.startsWith('docs/')).sort()).toEqual(
      written.sort(),
    );
    expect(new Set(listed).size).toBe(listed.length);
  });

  test('holds no link that leads nowhere, within a page or between files', () => {
    const others = [
      'README.md',
      'packages/crosspoint/README.md',
      'packages/sdk/README.md',
      'bench/README.md',
      'conformance/README.md',
    ];
    const sources = new Map([
      ...others.map((file) => [file, readFileSync(join(root, file), 'utf8')]),
      ...pages.map(({ file, source }) => [file, source]),
    ]);
    expect(readLinks(sources.get('README.md')).links.length).toBeGreaterThan(5);
    expect(brokenLinks(root, sources)).toEqual([]);
  });

  test('says so when a link or an anchor is broken', () => {
    const broken = new Map([
      ['docs/a.md', '# A\n\n[b](b.md#there) [b](b.md#missing) [c](c.md) [self](#a)'],
      ['docs/b.md', '# B\n\n## There'],
    ]);
    expect(brokenLinks(root, broken)).toEqual([
      'docs/a.md: b.md#missing has no such heading',
      'docs/a.md: c.md is not there',
    ]);
  });

  test('begins every page with its one title', () => {
    const wrong = pages.filter(
      ({ source }) => (source.replaceAll(/^```[\s\S]*?^```/gm, '').match(/^# /gm) ?? []).length !== 1,
    );
    expect(wrong.map(({ file }) => file)).toEqual([]);
  });
});

describe('the site', () => {
  test('has every page and every id once, and every address in it leads to one of them', () => {
    const folder = mkdtempSync(join(tmpdir(), 'crosspoint-pages-'));
    try {
      const built = buildSite({ root, out: folder }).pages.map(({ address }) => address);
      const html = new Map(built.map((address) => [address, readFileSync(join(folder, address), 'utf8')]));
      const ids = new Map(
        [...html].map(([address, text]) => [address, [...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)]),
      );
      const wrong = [];
      for (const [address, text] of html) {
        const own = ids.get(address);
        wrong.push(...own.filter((id, at) => own.indexOf(id) !== at).map((id) => `${address} has the id ${id} twice`));
        for (const [, href] of text.matchAll(/ (?:href|src)="([^"]*)"/g)) {
          if (/^https?:/.test(href)) continue;
          const [path, anchor] = href.split('#');
          const target = path === '' ? address : joinAddress(dirname(address), path);
          if (!existsSync(join(folder, target))) wrong.push(`${address}: ${href} is not there`);
          else if (anchor !== undefined && !ids.get(target).includes(anchor))
            wrong.push(`${address}: ${href} has no such place`);
        }
      }
      expect(new Set(built).size).toBe(built.length);
      expect(wrong).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('the search', () => {
  test('finds headings, words and names', () => {
    const files = new Set(pages.map(({ file }) => file));
    const rendered = pages.map((page) => ({
      ...page,
      ...renderMarkdown(page.source, { file: page.file, isPage: (file) => files.has(file) }),
    }));
    const index = MiniSearch.loadJS(searchIndex(rendered), SEARCH_OPTIONS);
    const first = (words) => index.search(words, { combineWith: 'AND', boost: { heading: 4, title: 2 } })[0]?.address;
    expect(first('order of checks')).toBe('http.html#the-order-of-checks');
    expect(first('createMcpHandler')).toBeDefined();
    expect(index.search('connectLinked').map(({ address }) => address)).toContain(
      'reference/testing.html#connectlinked',
    );
    expect(first('xyzzyplugh')).toBeUndefined();
  });
});
