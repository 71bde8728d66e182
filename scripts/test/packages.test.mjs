import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PACKAGES, manifestOf } from '../packages.mjs';

/** Members of a manifest that hold an address. None has one until there is a place that is known to exist. */
const ADDRESSES = ['homepage', 'repository', 'bugs', 'funding'];

describe.each(PACKAGES)('$name as people find it', (one) => {
  const manifest = manifestOf(one);

  it('has a description, keywords and a licence, and no address that nobody answers', () => {
    expect(manifest.description.length).toBeGreaterThan(40);
    expect(manifest.keywords.length).toBeGreaterThanOrEqual(5);
    expect(manifest.keywords).toEqual(expect.arrayContaining(['mcp', 'model-context-protocol']));
    expect(manifest.license).toBe('MIT');
    expect(ADDRESSES.filter((member) => member in manifest)).toEqual([]);
  });

  it('has a page that begins with the command that brings it', () => {
    const page = readFileSync(join(one.folder, 'README.md'), 'utf8');
    const [, first = ''] = /^```sh\n([\s\S]*?)^```/m.exec(page) ?? [];
    expect(page.indexOf('```sh')).toBe(page.indexOf('```'));
    expect(first).toContain(one.name === 'create-crosspoint' ? 'npm create crosspoint' : `npm install ${one.name}`);
  });
});
