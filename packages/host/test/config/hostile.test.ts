import { describe, expect, it } from 'vitest';
import { detectFormat } from '../../src/config/formats/detect-format.ts';
import { FILE_FORMATS } from '../../src/config/formats/formats.ts';
import { parseEnvFile } from '../../src/config/interpolation/env-file.ts';
import { describeEntry } from '../../src/config/show/describe-entry.ts';
import { describeTarget } from '../../src/config/show/describe-target.ts';
import { convertConfiguration } from '../../src/config/convert/convert-configuration.ts';

const LENGTH = 100_000;
const fill = (piece: string): string => piece.repeat(Math.ceil(LENGTH / piece.length));

/** Milliseconds that a text may take; one that grows with the square takes ten times as long. */
const LIMIT_MS = 10_000;

function timed(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

describe('a long hostile text', () => {
  it.each([
    'curl ',
    'curl|',
    '${',
    '${a:-',
    '${a}',
    '?a',
    '&a=',
    '{env:',
    '/',
    '\\',
    '.ssh',
    'sk-',
    '--',
    'a@',
    ' ',
    "'",
    '$(',
    '\u202E',
    '~',
    ':-',
    'x|sh|',
  ])('of %j is read, shown and converted in time', (piece) => {
    const text = fill(piece);
    const servers = {
      a: { command: text, args: [text], env: { [text]: text } },
      b: { url: `https://x.example/${text}`, headers: { A: text } },
    };
    for (const format of ['claude-desktop', 'claude-code', 'vscode'] as const) {
      const key = format === 'vscode' ? 'servers' : 'mcpServers';
      const file = JSON.stringify({ [key]: servers });
      const spent = timed(() => {
        detectFormat(undefined, file);
        const { entries } = FILE_FORMATS[format].read(file);
        for (const entry of entries) {
          describeTarget(entry.reach);
          describeEntry(entry);
        }
        convertConfiguration({ text: file, format }, 'crosspoint');
      });
      expect(spent).toBeLessThan(LIMIT_MS);
    }
    expect(timed(() => parseEnvFile(`A=${text}\nB="${text}\n${text}`))).toBeLessThan(LIMIT_MS);
  });

  it.each(['node', 'sh', 'docker', 'npx', '-e', '--privileged', '-v'])(
    'of the argument %j is shown in time',
    (piece) => {
      const args = Array.from({ length: 20_000 }, () => piece);
      expect(timed(() => describeTarget({ type: 'stdio', command: 'env', args }))).toBeLessThan(LIMIT_MS);
    },
  );

  it('of faults has its places in time', () => {
    const servers = `{ "servers": {\n${Array.from({ length: 20_000 }, (_, at) => `"s${at}": 1`).join(',\n')}\n} }`;
    expect(timed(() => FILE_FORMATS.vscode.read(servers))).toBeLessThan(LIMIT_MS);
    const inputs = JSON.stringify({
      servers: {},
      inputs: Array.from({ length: 10_000 }, (_, at) => ({ id: `${at}`, type: 'promptString' })),
    });
    expect(timed(() => convertConfiguration({ text: inputs, format: 'vscode' }, 'claude-code'))).toBeLessThan(LIMIT_MS);
  });
});
