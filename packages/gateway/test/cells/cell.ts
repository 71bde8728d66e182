import type { Client, ClientOptions, JSONRPCMessage, Transport } from 'crosspoint/client';
import { SSEClientTransport, StreamableHTTPClientTransport } from 'crosspoint/client';
import { tapMessages } from 'crosspoint/server/relaying';
import type { McpHandlerOptions, McpServer, Server } from 'crosspoint/server';
import {
  CARRIERS,
  FAMILIES,
  atEnd,
  connected,
  lines,
  serveOver,
  type CarrierName,
  type FamilyName,
} from '../carriers.ts';
import { bridge, type Bridge, type BridgeOptions, type Upstream } from '../../src/index.ts';
import { behind, type Behind } from './behind.ts';

export interface Cell {
  readonly down: FamilyName;
  readonly up: FamilyName;
  readonly downBy: CarrierName;
  readonly upBy: CarrierName;
}

const carriersOf = (family: FamilyName): readonly CarrierName[] =>
  family === 'handshake' ? [...CARRIERS, 'sse'] : CARRIERS;

/** Every family and carrier on either side. */
export const CELLS: readonly Cell[] = FAMILIES.flatMap((down) =>
  FAMILIES.flatMap((up) =>
    carriersOf(down).flatMap((downBy) => carriersOf(up).map((upBy) => ({ down, up, downBy, upBy }))),
  ),
);

/** One message on the hop between bridge and server. */
export interface Hop {
  readonly direction: 'sent' | 'received';
  readonly message: JSONRPCMessage & Record<string, any>;
}

export interface Opened extends Behind {
  readonly client: Client;
  readonly face: Bridge;
  /** Where clients of the bridge connect. */
  readonly where: string | number;
  readonly hop: Hop[];
  readonly problems: Error[];
  /** One more client. */
  join(options?: ClientOptions, prepare?: (client: Client) => void): Promise<Client>;
}

export interface CellOptions {
  readonly bridge?: BridgeOptions;
  readonly client?: ClientOptions;
  readonly prepare?: (client: Client) => void;
  readonly server?: McpServer | Server;
  readonly handler?: McpHandlerOptions;
}

/** A server, a bridge and a client over real sockets, until `closeAll`. */
export async function open({ down, up, downBy, upBy }: Cell, options: CellOptions = {}): Promise<Opened> {
  const own = behind(up);
  const server = options.server ?? own.server;
  const address = await serveOver(upBy, server);
  const hop: Hop[] = [];
  const problems: Error[] = [];
  const face = bridge(tapped(upBy, address, hop), {
    onproblem: (problem) => problems.push(problem),
    ...options.bridge,
  });
  const where = await serveOver(downBy, face, options.handler);
  atEnd(() => face.close());
  const join = (more: ClientOptions = {}, prepare?: (client: Client) => void): Promise<Client> =>
    connected(where, { revisions: down, ...more }, prepare);
  const client = await join(options.client, options.prepare);
  return { ...own, client, face, where, hop, problems, join };
}

/** The way to a server, with everything on the hop noted. */
export function tapped(carrier: CarrierName, address: string | number, hop: Hop[]): Upstream {
  const tap = tapMessages((direction, message) => hop.push({ direction, message: message as Hop['message'] }));
  return {
    connect: async (client) => client.connect(tap.transport(await transportTo(carrier, address)) as never),
  };
}

async function transportTo(carrier: CarrierName, address: string | number): Promise<Transport> {
  if (typeof address === 'number') return lines(address);
  return carrier === 'sse' ? new SSEClientTransport(new URL(address)) : new StreamableHTTPClientTransport(address);
}

/** Answers every question of the tests. */
export function answering(client: Client): void {
  client.setRequestHandler('elicitation/create', ({ params }) => {
    const { requestedSchema } = params as { requestedSchema?: { properties: object } };
    const names = Object.keys(requestedSchema?.properties ?? {});
    return { action: 'accept', content: Object.fromEntries(names.map((name) => [name, `my ${name}`])) };
  });
  client.setRequestHandler('sampling/createMessage', () => ({
    role: 'assistant',
    model: 'm',
    content: { type: 'text', text: 'Hi' },
  }));
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///home', name: 'home' }] }));
}

export const ABLE: ClientOptions = { capabilities: { elicitation: {}, sampling: {}, roots: { listChanged: true } } };
