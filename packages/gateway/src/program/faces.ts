import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler, type Server } from 'crosspoint/server';
import { StdioServerTransport } from 'crosspoint/server/stdio';
import type { Store } from 'crosspoint/stores';
import type { BridgeRecorder } from '../recorder.ts';
import type { HttpFace, ListenAddress } from './bridge-command.ts';
import { faceAuth } from './face-auth.ts';
import type { Log } from './log.ts';
import { ProgramError } from './program-error.ts';
import type { SourceReader } from './source-reader.ts';

/** The side of the bridge that clients see, while it is served. */
export interface ServedFace {
  /** Resolves when it has ended by itself. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

export interface FaceTools {
  readonly recorder: BridgeRecorder | undefined;
  readonly sources: SourceReader;
  /** Where sessions outlive this process; `undefined` where they are kept in it, without a store between. */
  readonly store: Store | undefined;
  readonly log: Log;
}

const GRACE_MS = 2000;
const HEALTH = '/health';
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/** Serves the client that started this process. */
export async function serveStdioFace(bridge: Server, { recorder }: FaceTools): Promise<ServedFace> {
  const transport = new StdioServerTransport(process.stdin, process.stdout, { exitOnEnd: false, perTurn: true });
  const ended = new Promise<void>((resolve) => {
    transport.onclose = resolve;
  });
  await bridge.connect(recorder?.down.transport(transport) ?? transport);
  return { ended, close: () => transport.close() };
}

export async function serveHttpFace(bridge: Server, face: HttpFace, tools: FaceTools): Promise<ServedFace> {
  const { address, authentication, allowedHosts = [], allowedOrigins = [] } = face;
  const { sources, store, log, recorder } = tools;
  if (authentication === undefined) refuseStrangers(address, allowedHosts);
  const onproblem = ({ message }: Error): void => log.problem(message);
  const handler = createMcpHandler(bridge, {
    path: address.path,
    ...(address.path !== HEALTH && { healthPath: HEALTH }),
    ...(store !== undefined && { store }),
    legacySse: face.sse === true ? {} : false,
    onerror: onproblem,
    ...(recorder !== undefined && { tap: recorder.down.handler }),
    ...(authentication !== undefined && { auth: faceAuth(authentication, sources, onproblem) }),
    ...(allowedHosts.length > 0 && {
      allowedHosts: [...allowedHosts, ...(address.isLoopback ? LOOPBACK_NAMES : [])],
    }),
    ...(allowedOrigins.length > 0 && { allowedOrigins, cors: true }),
  });
  const http = createServer((request, response) => void handler.node(request, response));
  try {
    await listen(http, address);
  } catch (error) {
    await handler.close({ grace: 0 });
    throw error;
  }
  announce(face, (http.address() as AddressInfo).port, log);
  return {
    ended: new Promise((resolve) => http.once('close', () => resolve())),
    async close() {
      http.close();
      await handler.close({ grace: GRACE_MS });
      http.closeAllConnections();
    },
  };
}

/** Without authentication all callers are one, with one login at the server and one set of processes: only this machine may be that caller. */
function refuseStrangers({ host, isLoopback }: ListenAddress, allowedHosts: readonly string[]): void {
  const what = isLoopback ? `the allowed host ${allowedHosts[0]}` : `listening on ${host}`;
  if (!isLoopback || allowedHosts.length > 0)
    throw new ProgramError(
      `A face without authentication is for this machine alone, and ${what} lets others in. Give authentication, or listen on 127.0.0.1.`,
    );
}

async function listen(http: HttpServer, { host, port, isLoopback }: ListenAddress): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    http.once('error', (error: NodeJS.ErrnoException) =>
      reject(new ProgramError(`--listen ${host}:${port}: ${listenFault(error)}`, { cause: error })),
    );
    http.listen(port, host, resolve);
  });
  const { address } = http.address() as AddressInfo;
  if (!isLoopback || /^(?:::1|127\..*)$/.test(address)) return;
  http.close();
  throw new ProgramError(`--listen ${host}: this name stands for ${address}, which is not this machine alone.`);
}

function listenFault({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'EADDRINUSE') return 'another program listens there. Choose another port, or 0 for a free one.';
  if (code === 'EACCES') return 'this user may not listen there. Ports below 1024 are often reserved.';
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return 'this machine has no such interface.';
  return message;
}

function announce({ address, authentication, sse }: HttpFace, port: number, log: Log): void {
  const also = sse === true ? `, and HTTP+SSE at ${shownAddress({ ...address, path: '/sse' }, port)}` : '';
  log.note(`listening at ${shownAddress(address, port)}${also}`);
  if (authentication === undefined)
    log.note('callers are not authenticated: all programs of this machine are one caller.');
  if (!address.isLoopback) log.note('requests are not encrypted here: put a proxy with TLS before it.');
}

/** The address as a URL shows it. */
function shownAddress({ host, path }: ListenAddress, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}${path}`;
}
