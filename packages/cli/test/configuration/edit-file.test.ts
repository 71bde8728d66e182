import { mkdtempSync, readFileSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { editFile } from '../../src/place/edit-file.ts';

describe('editing a file', () => {
  it('makes it with its folder, for this user alone, and leaves nothing beside it', async () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'edit-')), 'new');
    const file = join(folder, 'a.json');
    await editFile(file, (text) => (text === undefined ? 'first' : undefined));
    expect({ text: readFileSync(file, 'utf8'), mode: statSync(file).mode & 0o777 }).toEqual({
      text: 'first',
      mode: 0o600,
    });
    await editFile(file, () => undefined);
    await expect(editFile(file, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect({ text: readFileSync(file, 'utf8'), files: readdirSync(folder) }).toEqual({
      text: 'first',
      files: ['a.json'],
    });
  });

  it('changes again what another program has written meanwhile', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'edit-')), 'a');
    writeFileSync(file, 'a');
    const seen: (string | undefined)[] = [];
    await editFile(file, (text) => {
      seen.push(text);
      if (seen.length === 1) writeFileSync(file, 'b');
      return `${text ?? ''}+`;
    });
    expect({ seen, text: readFileSync(file, 'utf8') }).toEqual({ seen: ['a', 'b'], text: 'b+' });
  });

  it('does not wait for a command that ended in the middle', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'edit-')), 'a');
    writeFileSync(`${file}.lock`, '');
    utimesSync(`${file}.lock`, new Date(0), new Date(0));
    await editFile(file, () => 'text');
    expect(readFileSync(file, 'utf8')).toBe('text');
  });
});
