import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { McpServer, createMcpHandler, text } from '../../src/server/index.ts';
import { pack, type Packed } from './packed.ts';

let packed: Packed;
beforeAll(() => {
  packed = pack('@crosspoint/recording');
}, 120_000);
afterAll(() => packed.remove());

interface Bundle {
  readonly code: string;
  /** What it would ask the page to bring along. */
  readonly externals: readonly string[];
}

/** Bundles a program the way a web page's build does: a `node:` import anywhere in it is an error. */
async function bundle(program: string, format: 'esm' | 'iife' = 'esm'): Promise<Bundle> {
  const entry = join(packed.folder, 'entry.mjs');
  writeFileSync(entry, program);
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    minify: true,
    metafile: true,
    platform: 'browser',
    format,
    target: 'es2022',
    logLevel: 'silent',
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  return {
    code: outputFiles[0]?.text ?? '',
    externals: imports.filter(({ external }) => external).map(({ path }) => path),
  };
}

/** As in a page: called as a method of anything else, it refuses. */
function unbound<Args extends unknown[], Result>(run: (...args: Args) => Result): (...args: Args) => Result {
  return function call(this: unknown, ...args: Args): Result {
    if (this !== undefined) throw new TypeError('Illegal invocation');
    return run(...args);
  };
}

/** What a page has of its own, and nothing of Node. */
const PAGE_GLOBALS = [
  'URL',
  'URLSearchParams',
  'Headers',
  'Request',
  'Response',
  'AbortController',
  'AbortSignal',
  'Event',
  'EventTarget',
  'DOMException',
  'ReadableStream',
  'TransformStream',
  'TextDecoderStream',
  'TextEncoder',
  'TextDecoder',
  'ByteLengthQueuingStrategy',
  'crypto',
  'performance',
  'queueMicrotask',
  'structuredClone',
  'atob',
  'btoa',
] as const;

function pageGlobals(report: (found: unknown) => void): object {
  return {
    ...Object.fromEntries(PAGE_GLOBALS.map((name) => [name, globalThis[name]])),
    fetch: unbound(fetch),
    // A page's timers are numbers, which have nothing to call.
    setTimeout: unbound((run: () => void, ms: number) => Number(setTimeout(run, ms))),
    clearTimeout: unbound((timer?: number) => clearTimeout(timer)),
    report,
  };
}

describe('in a browser', () => {
  it.each([
    { entry: 'crosspoint', limit: 80_000 },
    { entry: 'crosspoint/client', limit: 290_000 },
    { entry: 'crosspoint/server', limit: 380_000 },
    { entry: 'crosspoint/auth', limit: 150_000 },
    { entry: 'crosspoint/schema', limit: 150_000 },
    { entry: '@crosspoint/recording', limit: 60_000 },
    { entry: 'crosspoint/testing', limit: 450_000 },
  ])('$entry is bundled without anything of Node, in less than $limit bytes', async ({ entry, limit }) => {
    const { code, externals } = await bundle(`export * from '${entry}';`);
    expect(externals).toEqual([]);
    expect(code).not.toMatch(/\b(?:from|import|require)\s*\(?\s*["']node:/);
    console.log(`${entry}: ${code.length} bytes minified, ${gzipSync(code).length} compressed`);
    expect(code.length).toBeLessThan(limit);
  });

  it('crosspoint/client does not so much as mention Node', async () => {
    expect((await bundle("export * from 'crosspoint/client';")).code).not.toContain('node:');
  });

  it('a client that never logs in loads nothing of a login', async () => {
    const entry = join(packed.folder, 'split.mjs');
    writeFileSync(entry, "export { Client, StreamableHTTPClientTransport } from 'crosspoint/client';");
    const { metafile } = await build({
      entryPoints: [entry],
      bundle: true,
      splitting: true,
      write: false,
      minify: true,
      metafile: true,
      platform: 'browser',
      format: 'esm',
      outdir: packed.folder,
      logLevel: 'silent',
    });
    const outputs = Object.entries(metafile.outputs);
    const loaded = new Set(
      outputs.filter(([, { entryPoint }]) => entryPoint?.endsWith('split.mjs')).map(([path]) => path),
    );
    // What is imported when it starts, one chunk after the other; the set grows while it is walked through.
    for (const path of loaded)
      for (const { path: next, kind } of metafile.outputs[path]?.imports ?? [])
        if (kind === 'import-statement') loaded.add(next);
    const inputs = [...loaded].flatMap((path) => Object.keys(metafile.outputs[path]?.inputs ?? {}));
    expect(outputs.some(([path]) => path.includes('oauth-authorizer'))).toBe(true);
    expect(inputs.filter((path) => /oauth4webapi|node_modules\/jose|oauth-authorizer/.test(path))).toEqual([]);
  });

  it('a server that protects nothing loads nothing of authorization', async () => {
    const inputsOf = async (entry: string): Promise<string[]> => {
      const file = join(packed.folder, 'entry.mjs');
      writeFileSync(file, `export * from '${entry}';`);
      const { metafile } = await build({
        entryPoints: [file],
        bundle: true,
        write: false,
        metafile: true,
        platform: 'browser',
        format: 'esm',
        outdir: packed.folder,
        logLevel: 'silent',
      });
      return Object.keys(metafile.inputs).filter((path) => /oauth4webapi|\/jose\/|dist\/auth\//.test(path));
    };
    expect(await inputsOf('crosspoint/server')).toEqual([]);
    expect((await inputsOf('crosspoint/auth/server')).some((path) => path.includes('/jose/'))).toBe(true);
  });

  it('an entry that needs Node is told apart by the bundler', async () => {
    // The message shows the first errors alone, and which those are depends on the names of folders.
    const failure: unknown = await bundle("export * from 'crosspoint/client/stdio';").catch((error: unknown) => error);
    const errors = (failure as { errors?: { text: string }[] }).errors ?? [];
    expect(errors.map((error) => error.text)).toContainEqual(expect.stringContaining('node:child_process'));
  });

  it.each(['handshake', 'per-request'])('the client works with what a page has, in the %s family', async (family) => {
    const server = new McpServer({ name: 'page', version: '1.0.0' });
    server.registerTool('count', {}, async ({ progress }) => {
      for (const step of [1, 2, 3]) progress(step, 3);
      return text('counted');
    });
    const handler = createMcpHandler(server);
    const http = createServer((request, response) => void handler.node(request, response));
    await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
    const program = `import { Client } from 'crosspoint/client';
      const client = new Client({ name: 'page', version: '1.0.0' });
      const steps = [];
      client.connect({ url: '${url}', family: '${family}' })
        .then(() => client.callTool({ name: 'count' }, { onprogress: ({ progress }) => steps.push(progress) }))
        .then(async ({ content }) => { await client.close(); return { family: '${family}', steps, content }; })
        .then(report, (error) => report(String(error?.stack ?? error)));`;
    const { code } = await bundle(program, 'iife');
    const found = await new Promise((resolve) => runInContext(code, createContext(pageGlobals(resolve))));
    expect(found).toEqual({ family, steps: [1, 2, 3], content: [{ type: 'text', text: 'counted' }] });
    await handler.close({ grace: 1000 });
    http.close();
    http.closeAllConnections();
  });
});
