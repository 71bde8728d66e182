import { describe, expect, it } from 'vitest';
import { FILE_FORMATS } from '../../src/config/formats/formats.ts';
import { separateSecrets, type WrittenSecret } from '../../src/config/separate-secrets.ts';

function separated(text: string): { readonly entries: unknown; readonly found: readonly WrittenSecret[] } {
  const found: WrittenSecret[] = [];
  const entries = FILE_FORMATS['claude-code'].read(text).entries.map((entry) =>
    separateSecrets(entry, (secret) => {
      found.push(secret);
      return `<${found.length}>`;
    }),
  );
  return { entries, found };
}

describe('separateSecrets', () => {
  it('puts a reference in place of each secret, by its place and by its look', () => {
    const { entries, found } = separated(`{ "mcpServers": {
      "a": { "command": "run", "args": ["--api-key", "abcdefgh1", "--token=abcdefgh2", "ghp_abcdefghijkl3", "--mode", "fast"], "env": { "API_KEY": "k4", "MODE": "fast", "URL": "https://me:pass5@x/" } },
      "b": { "type": "http", "url": "https://x/mcp?api_key=q6&a=b", "headers": { "Authorization": "Bearer b7", "X-Key": "k8", "Accept": "text/plain" } }
    } }`);
    expect(found.map(({ value }) => value)).toEqual([
      'abcdefgh1',
      'abcdefgh2',
      'ghp_abcdefghijkl3',
      'k4',
      'pass5',
      'q6',
      'b7',
      'k8',
    ]);
    expect(entries).toMatchObject([
      {
        reach: {
          args: ['--api-key', '<1>', '--token=<2>', '<3>', '--mode', 'fast'],
          env: { API_KEY: '<4>', MODE: 'fast', URL: 'https://me:<5>@x/' },
        },
      },
      {
        reach: {
          url: 'https://x/mcp?api_key=<6>&a=b',
          headers: { Authorization: 'Bearer <7>', 'X-Key': '<8>', Accept: 'text/plain' },
        },
      },
    ]);
    expect(found[0]).toMatchObject({ server: 'a', path: ['args', 1], pointer: '/mcpServers/a/args/1' });
  });

  it('leaves references alone, and looks into members of other programs', () => {
    const { entries, found } = separated(
      '{ "mcpServers": { "a": { "command": "run", "args": ["${npm_config_registry}/ghp_abcdefghijkl0"], "env": { "API_KEY": "${KEY}" }, "more": { "token": "t1", "mode": "m" } } } }',
    );
    expect(found).toMatchObject([
      { path: ['args', 0], value: 'ghp_abcdefghijkl0' },
      { path: ['other', 'more', 'token'], pointer: '/mcpServers/a/more/token', value: 't1' },
    ]);
    expect(entries).toMatchObject([
      {
        reach: { args: ['${npm_config_registry}/<1>'], env: { API_KEY: '${KEY}' } },
        other: { more: { token: '<2>', mode: 'm' } },
      },
    ]);
  });
});
