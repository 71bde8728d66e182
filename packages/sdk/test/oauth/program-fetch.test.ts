import { afterEach, expect, it, vi } from 'vitest';
import { authorizationServer, goodServer } from './authorization-server.ts';

interface Dispatcher {
  dispatch(options: { path: string }, handler: unknown): boolean;
}
const globals = globalThis as unknown as Record<symbol, Dispatcher>;
// Node sets its own dispatchers with the first use of this.
void new Headers();
const own = Object.getOwnPropertySymbols(globalThis)
  .filter((name) => Symbol.keyFor(name)?.startsWith('undici.globalDispatcher'))
  .map((name) => [name, globals[name] as Dispatcher] as const);

/** Puts a dispatcher in the place of each that Node has. */
function setDispatcher(make: (before: Dispatcher) => Dispatcher): void {
  for (const [name, before] of own) globals[name] = make(before);
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
  setDispatcher((before) => before);
});

const load = async () => (await import('../../src/internal/oauth/program-fetch.ts')).programFetch;
const fake = async (): Promise<Response> => new Response('fake');

it('the runtime’s fetch is not the program’s', async () => {
  expect(own.length).toBeGreaterThan(0);
  const programFetch = await load();
  expect(programFetch()).toBeUndefined();
});

it.each(['before', 'after'])('a fetch that was replaced %s the library was loaded is used', async (when) => {
  if (when === 'before') vi.stubGlobal('fetch', fake);
  const programFetch = await load();
  vi.stubGlobal('fetch', fake);
  const response = await programFetch()?.('https://nowhere.example/');
  expect(await response?.text()).toBe('fake');
});

it('a fetch that was put back is the runtime’s again', async () => {
  const programFetch = await load();
  vi.stubGlobal('fetch', fake);
  expect(programFetch()).toBeDefined();
  vi.unstubAllGlobals();
  expect(programFetch()).toBeUndefined();
});

it('a dispatcher that was set sends what a login asks for', async () => {
  const { discoverAuthorizationServerMetadata } = await import('../../src/client/auth.ts');
  const server = await authorizationServer({ server: goodServer });
  const paths: string[] = [];
  const through = (before: Dispatcher): Dispatcher => ({
    dispatch(options, handler) {
      paths.push(options.path);
      return before.dispatch(options, handler);
    },
  });
  try {
    await discoverAuthorizationServerMetadata(server.url);
    expect(paths).toEqual([]);
    setDispatcher(through);
    expect(await discoverAuthorizationServerMetadata(server.url)).toMatchObject({ issuer: server.url });
    expect(new Set(paths)).toEqual(new Set(['/.well-known/oauth-authorization-server']));
  } finally {
    await server.close();
  }
});

it('a dispatcher with the name of Node’s own, as that of the undici package, is the program’s', async () => {
  const programFetch = await load();
  class Agent implements Dispatcher {
    dispatch(): boolean {
      return false;
    }
  }
  setDispatcher(() => new Agent());
  expect(programFetch()).toBeDefined();
});
