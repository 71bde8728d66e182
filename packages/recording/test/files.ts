import { readSession, recordSession, type SessionFile, type SessionLine } from '../src/index.ts';
import type { JSONRPCMessage } from 'crosspoint/client';

type Options = Parameters<typeof recordSession>[1];
type Written = Parameters<ReturnType<typeof recordSession>['write']>[0];

export const HEADER = JSON.stringify({
  kind: 'session',
  format: 'crosspoint-session',
  version: '1.0',
  started: '2026-01-01T00:00:00.000Z',
});

export const request = (params: object, id = 1): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { ...params },
});
export const toServer = (message: object): Written => ({
  kind: 'message',
  hop: 'client',
  to: 'server',
  message: message as JSONRPCMessage,
});

/** The text of a file with these lines. */
export async function recorded(lines: readonly Written[], options: Options = {}): Promise<string> {
  let file = '';
  const session = recordSession((text) => void (file += text), options);
  for (const line of lines) session.write(line);
  await session.close();
  return file;
}

export async function readAll(
  source: Parameters<typeof readSession>[0],
  options?: Parameters<typeof readSession>[1],
): Promise<{ session: SessionFile; lines: SessionLine[] }> {
  const session = await readSession(source, options);
  const lines: SessionLine[] = [];
  for await (const line of session) lines.push(line);
  return { session, lines };
}

export const messagesOf = (lines: readonly SessionLine[]): unknown[] =>
  lines.flatMap((line) => (line.kind === 'message' ? [line.message] : []));
