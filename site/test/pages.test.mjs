import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import MiniSearch from 'minisearch';
import { beforeAll, describe, expect, test } from 'vitest';
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
    const others = ['README.md', 'packages/crosspoint/README.md', 'bench/README.md', 'conformance/README.md'];
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
