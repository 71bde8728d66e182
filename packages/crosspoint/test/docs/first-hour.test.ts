import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './doc-blocks.ts';

const HERE = 'packages/crosspoint/test';
const readme = readFileSync(join(ROOT, HERE, 'README.md'), 'utf8');
const section = /## The first hour\n([\s\S]*?)\n## /.exec(readme)?.[1] ?? '';
const rows = [...section.matchAll(/^\| (.+) \| `([^`]+)` \| `([^`]+)` \|$/gm)].map(
  ([, subject = '', file = '', title = '']) => ({ subject, file, title }),
);

describe('the list of the first hour', () => {
  it('is a table in which every line is read', () => {
    expect(rows.length).toBeGreaterThan(25);
    expect(section.match(/^\|/gm)).toHaveLength(rows.length + 2);
    expect(new Set(rows.map(({ subject }) => subject)).size).toBe(rows.length);
  });

  it.each(rows)('$subject: has its test', ({ file, title }) => {
    const path = [join(ROOT, HERE, file), join(ROOT, file)].find(existsSync);
    expect(path, file).toBeDefined();
    expect(readFileSync(path ?? '', 'utf8')).toContain(title);
  });
});
