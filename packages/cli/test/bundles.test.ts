import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundleBytes, manifestWith } from '../../host/test/config/bundles/zip-bytes.ts';
import { crosspoint } from './crosspoint.ts';

const KEY = { CROSSPOINT_SECRETS_KEY: 'ab'.repeat(32) };
const LIBRARY = new URL('../../crosspoint/dist/', import.meta.url).href;

/** A bundle that asks for a key, and whose tool says how long the key is. */
function bundle(): Buffer {
  const manifest = manifestWith({
    server: {
      type: 'node',
      entry_point: 'server/main.mjs',
      mcp_config: { command: 'node', args: ['${__dirname}/server/main.mjs'], env: { KEY: '${user_config.key}' } },
    },
    user_config: { key: { type: 'string', title: 'Key', sensitive: true, required: true } },
  });
  const data = `import { McpServer, text } from '${LIBRARY}server/index.js';
import { serveStdio } from '${LIBRARY}server/stdio.js';
const server = new McpServer({ name: 'weather', version: '1.0.0' });
server.registerTool('length', {}, () => text(String(process.env.KEY.length)));
await serveStdio(server);
`;
  return bundleBytes(manifest, [{ name: 'server/main.mjs', data, mode: 0o100644 }]);
}

describe('a bundle', () => {
  it('is configured under a name, asks for its values once, and is refused when it is another', async () => {
    const { home, run } = crosspoint();
    const file = join(home, 'weather.mcpb');
    writeFileSync(file, bundle());
    const added = await run(['servers', 'add', 'wx', file], { env: KEY });
    expect(added.json()).toMatchObject({ name: 'wx', target: expect.stringContaining('server/main.mjs') });
    rmSync(file);
    const unasked = await run(['tools', 'call', 'wx', 'length'], { env: KEY });
    expect(unasked.code).toBe(8);
    const rules = join(home, 'rules.json');
    writeFileSync(
      rules,
      '{ "rules": [{ "match": { "kind": "input" }, "answer": { "action": "accept", "value": "PLANTED-key" } }] }',
    );
    const asked = await run(['tools', 'call', 'wx', 'length', '--rules', rules], { env: KEY });
    expect(asked.json().content).toEqual([{ type: 'text', text: '11' }]);
    const kept = await run(['tools', 'call', 'wx', 'length'], { env: KEY });
    expect(kept.json().content).toEqual([{ type: 'text', text: '11' }]);
    const files = ['crosspoint.json', 'secrets.json', 'host.db'].map((name) =>
      readFileSync(join(home, name), 'latin1'),
    );
    expect([...files, added.stdout, asked.stdout, asked.stderr, kept.stderr].join('\n')).not.toContain('PLANTED');
    const [copy = ''] = readdirSync(join(home, 'bundles')).filter((name) => name.endsWith('.mcpb'));
    writeFileSync(join(home, 'bundles', copy), bundleBytes());
    const other = await run(['tools', 'ls', 'wx'], { env: KEY });
    expect({ code: other.code, message: other.error().message }).toEqual({
      code: 2,
      message: expect.stringContaining('is not the one that was added as "wx"'),
    });
    writeFileSync(file, 'no bundle');
    expect((await run(['servers', 'add', 'x', file], { env: KEY })).code).toBe(1);
  });
});
