/** The official library and ours, for tests that run one program with each and compare what it saw. */
import { McpServer as OfficialServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport as OfficialSse } from '@modelcontextprotocol/sdk/server/sse.js';
import { StdioServerTransport as OfficialStdio } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport as OfficialStreamable } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { WebStandardStreamableHTTPServerTransport as OfficialWeb } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { expect } from 'vitest';
import { McpServer } from '../../src/server/mcp.ts';
import { SSEServerTransport } from '../../src/server/sse.ts';
import { StdioServerTransport } from '../../src/server/stdio.ts';
import { StreamableHTTPServerTransport } from '../../src/server/streamableHttp.ts';
import { WebStandardStreamableHTTPServerTransport } from '../../src/server/webStandardStreamableHttp.ts';

export interface Library {
  readonly McpServer: typeof OfficialServer;
  readonly Streamable: typeof OfficialStreamable;
  readonly Web: typeof OfficialWeb;
  readonly Sse: typeof OfficialSse;
  readonly Stdio: typeof OfficialStdio;
}

export const OFFICIAL: Library = {
  McpServer: OfficialServer,
  Streamable: OfficialStreamable,
  Web: OfficialWeb,
  Sse: OfficialSse,
  Stdio: OfficialStdio,
};

/** Ours under the types of the official one, against which programs are compiled. */
export const OURS: Library = {
  McpServer,
  Streamable: StreamableHTTPServerTransport,
  Web: WebStandardStreamableHTTPServerTransport,
  Sse: SSEServerTransport,
  Stdio: StdioServerTransport,
} as unknown as Library;

/** Runs a program with both, and expects it to see the same. Returns that. */
export async function sameWithBoth<T>(run: (library: Library) => Promise<T>): Promise<T> {
  const official = await run(OFFICIAL);
  expect(await run(OURS)).toEqual(official);
  return official;
}
