import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { expect } from 'vitest';
import { proves } from '../../packages/crosspoint/test/requirements/proves.ts';

/** The globals of a page: no `process`, no `Buffer`, no `require`. */
const PAGE_GLOBALS = [
  'fetch',
  'URL',
  'Headers',
  'Request',
  'Response',
  'AbortController',
  'AbortSignal',
  'DOMException',
  'ReadableStream',
  'TransformStream',
  'TextDecoderStream',
  'TextEncoder',
  'TextDecoder',
  'crypto',
  'performance',
  'queueMicrotask',
  'structuredClone',
  'atob',
  'btoa',
  'setTimeout',
  'clearTimeout',
] as const;

proves('M-ASEC-046, L-SECURITY-043').it(
  'serves a page whose script is a client of the server',
  { timeout: 60_000 },
  async () => {
    const child = spawn(process.execPath, [fileURLToPath(new URL('../dist/browser/main.js', import.meta.url))], {
      env: { ...process.env, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const [line] = (await once(child.stdout, 'data')) as [Buffer];
      const url = line.toString().trim();
      const answer = await fetch(url);
      expect(await answer.text()).toContain('<script src="/page.js" defer>');
      expect(answer.headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; script-src 'self'; connect-src 'self';/,
      );
      const script = await (await fetch(new URL('/page.js', url))).text();
      expect(script).not.toContain('node:');

      const shown = new Promise<string>((resolve) => {
        const output = {
          set textContent(text: string) {
            resolve(text);
          },
        };
        const page = Object.fromEntries(PAGE_GLOBALS.map((name) => [name, globalThis[name]]));
        runInContext(
          script,
          createContext({ ...page, location: { href: url }, document: { querySelector: () => output } }),
        );
      });
      expect(await shown).toBe(
        'Connected to crosspoint-demo, 2026-07-28.\nTools: add, count, welcome, fail, save_note\nProgress: 1 2 3\n2 + 40: {"sum":42}',
      );
      child.kill('SIGINT');
      const [code] = (await once(child, 'exit')) as [number];
      expect(code).toBe(0);
    } finally {
      child.kill('SIGKILL');
    }
  },
);
