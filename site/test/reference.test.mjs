import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { packageEntries } from '../reference/entries.mjs';
import { referenceFile, referencePages } from '../reference/reference-pages.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const pages = new Map(referencePages(root, []).map((page) => [page.file, page]));
const { own } = packageEntries();

describe('the reference', () => {
  test('knows the entries of the package, and their declarations are built', () => {
    expect(own.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['crosspoint', 'crosspoint/server', 'crosspoint/client']),
    );
    expect(own.filter(({ file }) => !existsSync(file))).toEqual([]);
  });

  test.each(own.map(({ name }) => name))('has a heading for every name that %s exports at run time', async (name) => {
    const { source } = pages.get(referenceFile(name));
    const loaded = await import(/* @vite-ignore */ name);
    const missing = Object.keys(loaded).filter((exported) => !source.includes(`\n### \`${exported}\`\n`));
    expect(missing).toEqual([]);
  });

  test('has a heading for every type as well, with kind and signature', () => {
    for (const { names, source, entry } of pages.values()) {
      if (entry === undefined) continue;
      expect(names.length, entry).toBeGreaterThan(0);
      for (const name of names) expect(source, entry).toContain(`\n### \`${name}\`\n`);
    }
    const { source } = pages.get(referenceFile('crosspoint/client'));
    expect(source).toContain('interface ClientOptions');
    expect(source).toContain('Separates private results.');
  });

  test('says what is deprecated, and keeps what is internal to itself', () => {
    const { source } = pages.get(referenceFile('crosspoint/server'));
    const context = source.slice(source.indexOf('### `ServerContext`'), source.indexOf('### `StepError`'));
    expect(context).toContain('Sampling is deprecated');
    expect(context).not.toContain('openAsker');
    expect(context).not.toContain('<b>over</b>');
  });

  test('shows what a class has from the class that it extends, once', () => {
    const { source } = pages.get(referenceFile('crosspoint/client'));
    const start = source.indexOf('### `Client`');
    const client = source.slice(start, source.indexOf('\n### ', start));
    expect(client.match(/<b>connect<\/b>/g)).toHaveLength(1);
    expect(client).toContain('target: Transport | HttpTarget | string | URL');
    expect(client.match(/<b>readResource<\/b>/g)).toHaveLength(1);
    expect(client).not.toContain('approach');
  });
});
