import { UnauthorizedError as V1Unauthorized } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as V1Sse } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport as V1Stdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as V1Streamable } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport as V1Pair } from '@modelcontextprotocol/sdk/inMemory.js';
import type { RequestListener } from 'node:http';
import { UnauthorizedError } from '../../src/client/auth.ts';
import { Client } from '../../src/client/index.ts';
import { SSEClientTransport } from '../../src/client/sse.ts';
import { StdioClientTransport } from '../../src/client/stdio.ts';
import { StreamableHTTPClientTransport } from '../../src/client/streamableHttp.ts';
import { InMemoryTransport } from '../../src/inMemory.ts';
import { listen } from '../listening.ts';

const v1 = {
  Client: V1Client,
  InMemoryTransport: V1Pair,
  SSEClientTransport: V1Sse,
  StdioClientTransport: V1Stdio,
  StreamableHTTPClientTransport: V1Streamable,
  UnauthorizedError: V1Unauthorized,
};
export type Sdk = typeof v1;
const ours = {
  Client,
  InMemoryTransport,
  SSEClientTransport,
  StdioClientTransport,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} as unknown as Sdk;

/** A program that returns a record of everything it saw. */
export type Program = (sdk: Sdk, url: URL) => Promise<unknown>;

/** Runs a program with the official package and with ours, each time with a server of its own. */
export async function runBoth(program: Program, serve: () => RequestListener): Promise<[v1: unknown, ours: unknown]> {
  const run = async (sdk: Sdk): Promise<unknown> => {
    const listening = await listen(serve());
    const { url } = listening;
    try {
      const seen = await program(sdk, new URL('/mcp', url));
      return JSON.parse(JSON.stringify(seen ?? null).replaceAll(url, 'http://server'));
    } finally {
      await listening.close();
    }
  };
  return [await run(v1), await run(ours)];
}

/** The parts of an error that programs look at. */
export function shown(error: unknown): object {
  if (!(error instanceof Error)) return { thrown: error };
  const { message, code } = error as Error & { code?: unknown };
  // Ours have a word as their code where those of v1 have none.
  return { class: error.constructor.name, message, code: error.constructor.name === 'UnauthorizedError' ? '' : code };
}

/** The error that a promise rejects with. */
export const failure = (promise: Promise<unknown>): Promise<object> =>
  promise.then((value) => ({ resolved: value === undefined ? 'nothing' : value }), shown);
