import { inspect } from 'node:util';
import { memoryStore } from 'crosspoint/stores';
import { describe, expect, it } from 'vitest';
import { convertConfiguration } from '../../src/config/convert/convert-configuration.ts';
import { readConfiguration } from '../../src/config/files/read-configuration.ts';
import { FILE_FORMATS } from '../../src/config/formats/formats.ts';
import { resolveEntry } from '../../src/config/interpolation/resolve-entry.ts';
import { problemLine } from '../../src/config/problem.ts';
import { describeEntry } from '../../src/config/show/describe-entry.ts';
import { describeTarget } from '../../src/config/show/describe-target.ts';
import { TrustBook } from '../../src/config/trust/trust-book.ts';
import { FORMAT_IDS, SAMPLES, textOf } from './samples.ts';

const CANARY = 'CANARY';

/** Values of the environment, of inputs and of the store: each is a secret, except folders and programs. */
const env = { TOKEN: 'CANARY-1', KEY: 'CANARY-2', API_KEY: 'CANARY-3', MODE: 'fast', HOME: '/home/u' };
const sources = {
  env,
  folders: { userHome: '/home/u', workspaceFolder: '/projects/app' },
  input: (id: string) => Promise.resolve(id === 'mode' || id === 'region' ? 'eu' : `CANARY-${id}`),
  secret: (name: string) => Promise.resolve(`CANARY-${name}`),
  readFile: () => Promise.resolve('FROM_FILE=CANARY-file\n'),
  platform: 'linux' as const,
};

describe('secrets', () => {
  it.each(FORMAT_IDS)('of %s are in what is started, and in nothing that people see', async (format) => {
    const store = memoryStore();
    const trust = new TrustBook(store);
    const { entries, inputs, files, problems } = await readConfiguration({
      home: '/h',
      env: {},
      formats: [],
      files: [{ file: '/r/file.json', format, scope: 'project' }],
      readFile: () => Promise.resolve(textOf(format)),
    });
    for (const file of files) await trust.grant(file);
    const seen: unknown[] = [problems, problems.map(problemLine), entries.map(describeEntry), await trust.list()];
    const started: unknown[] = [];
    for (const entry of entries) {
      seen.push(describeTarget(entry.reach));
      const resolved = await resolveEntry(entry, { ...sources, trust, inputs });
      started.push(resolved.reach);
      seen.push(describeTarget(resolved), resolved.shown, resolved.used, resolved.problems);
      const leaked = JSON.stringify(resolved.reach).match(/CANARY-[\w-]+/g) ?? [];
      expect(leaked.filter((value) => !resolved.secrets.includes(value))).toEqual([]);
    }
    for (const key of await store.keys('')) seen.push(await store.get(key));
    const changed = textOf(format).replaceAll(CANARY, `${CANARY}X`);
    seen.push(await trust.changesOf('/r/file.json', FILE_FORMATS[format].read(changed).entries));
    for (const to of FORMAT_IDS) {
      const { lost, problems: told } = convertConfiguration({ text: textOf(format), format }, to);
      seen.push(lost, told);
    }
    expect(inspect(started, { depth: 9, maxStringLength: Infinity })).toContain(CANARY);
    expect(inspect(seen, { depth: 9, maxArrayLength: Infinity, maxStringLength: Infinity })).not.toContain(CANARY);
    await store.close();
  });

  it.each(FORMAT_IDS)('of %s are in no error', async (format) => {
    const text = JSON.stringify(SAMPLES[format]);
    for (let at = 1; at < text.length; at += 7) {
      const { problems } = FILE_FORMATS[format].read(text.slice(0, at) + text.slice(at + 3));
      expect(problems.map(problemLine).join('\n')).not.toContain('CANARY-');
    }
    const { entries } = FILE_FORMATS[format].read(text, { scope: 'user' });
    for (const entry of entries) {
      const error: unknown = await resolveEntry(entry, { env: {} }).catch((reason: unknown) => reason);
      if (error instanceof Error) expect(inspect(error)).not.toContain(CANARY);
    }
  });
});
