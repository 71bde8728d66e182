import { describe, expect, it } from 'vitest';
import { AUTH } from './auth-callbacks.ts';
import { callbacks } from './callbacks.ts';
import { CLIENT, OBSERVERS } from './client-callbacks.ts';
import { FURTHER } from './further-callbacks.ts';
import { LOGIN } from './login-callbacks.ts';
import { SERVER } from './server-callbacks.ts';
import { STORE } from './store-callbacks.ts';
import { TABLE } from './table.ts';

const found = callbacks();
const prefixed = (prefix: string, drivers: object): string[] => Object.keys(drivers).map((name) => `${prefix}${name}`);
const drivers = new Set([
  ...Object.keys(SERVER),
  ...Object.keys(FURTHER),
  ...prefixed('client:', { ...CLIENT, ...OBSERVERS }),
  ...Object.keys(STORE),
  ...prefixed('auth:', { ...AUTH, ...LOGIN }),
]);

describe('every function that a program can hand to the library', () => {
  it('is found in the sources', () => {
    const names = found.map(({ owner, name }) => `${owner}.${name}`);
    // Each in another form: a member, an alias, a union, a method, a parameter, a property of a class, a record.
    expect(names).toEqual(
      expect.arrayContaining([
        'McpHandlerOptions.authenticate',
        'ListChangedOptions.onChanged',
        'BearerAuthOptions.verifier',
        'Store.subscribe',
        'McpServer.registerTool(callback)',
        'Server.oninitialized',
        'ResourceTemplateCallbacks.complete',
      ]),
    );
  });

  it('is in the table, with what it is tried with or why it is not', () => {
    const missing = found.filter(({ owner, name }) => {
      const entry = TABLE[owner];
      return entry === undefined || (typeof entry !== 'string' && entry[name] === undefined);
    });
    expect(missing).toEqual([]);
  });

  it('is still there when the table names it', () => {
    const names = new Set(found.flatMap(({ owner, name }) => [owner, `${owner}.${name}`]));
    const stale = Object.entries(TABLE).flatMap(([owner, entry]) =>
      typeof entry === 'string' ? [owner] : Object.keys(entry).map((name) => `${owner}.${name}`),
    );
    expect(stale.filter((name) => !names.has(name))).toEqual([]);
  });

  it('is tried with drivers that there are, and every driver tries one', () => {
    const named = Object.values(TABLE).flatMap((entry) =>
      typeof entry === 'string'
        ? []
        : Object.values(entry).flatMap((tried) => (typeof tried === 'string' ? [] : tried)),
    );
    expect(named.filter((name) => !drivers.has(name))).toEqual([]);
    const extra = ['inputSchema', 'store listener'];
    expect([...drivers].filter((name) => !named.includes(name) && !extra.includes(name))).toEqual([]);
  });
});
