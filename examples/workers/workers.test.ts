import { fileURLToPath } from 'node:url';
import { Client } from 'crosspoint/client';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import worker from './worker.ts';

test.each(['handshake', 'per-request'] as const)('the worker answers in the %s family', async (family) => {
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect({
    url: 'http://localhost/mcp',
    family,
    fetch: (input, init) => worker.fetch(new Request(input, init)),
  });
  expect(await client.callTool({ name: 'shout', arguments: { message: 'hi' } })).toMatchObject({
    content: [{ text: 'HI' }],
  });
  await client.close();
});

test('the worker is one module that needs nothing of Node', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL('worker.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'worker'],
    outdir: 'out',
    metafile: true,
    logLevel: 'silent',
  });
  expect(outputFiles).toHaveLength(1);
  expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
});
