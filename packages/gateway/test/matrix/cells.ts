import { converse } from './conversation.ts';
import { converseWithEverything } from './everything.ts';
import { program, startEverything, startListening, stdioBridge, stdioOf, type Running } from './processes.ts';
import { seatOne } from './seats/official-one.ts';
import { seatTwo } from './seats/official-two.ts';
import { seatOurs } from './seats/ours.ts';
import { isOldest, type Place, type Seat } from './seats/seat.ts';
import type { Transcript } from './transcript.ts';

export type ClientName = 'one' | 'two' | 'ours';
export type Carrier = 'stdio' | 'http';

/** One client, one server, one carrier. */
export interface Cell {
  readonly client: ClientName;
  readonly server: string;
  readonly carrier: Carrier;
}

const SEATS: Record<ClientName, (place: Place) => Promise<Seat>> = { one: seatOne, two: seatTwo, ours: seatOurs };
export const CLIENTS: readonly ClientName[] = ['one', 'two', 'ours'];
export const CARRIERS: readonly Carrier[] = ['stdio', 'http'];

/** Servers without a handshake, to which a client of the first generation cannot talk. */
export const isPerRequest = (server: string): boolean => server === 'two' || server === 'ours:2026-07-28';

/** The client whose direct conversation shows what this one should see: itself, or a client of the server's family. */
export function nearest({ client, server }: Cell): ClientName {
  return client === 'one' && isPerRequest(server) ? 'two' : client;
}

export function everyCell(servers: readonly string[]): Cell[] {
  return servers.flatMap((server) =>
    CARRIERS.flatMap((carrier) => CLIENTS.map((client) => ({ client, server, carrier }))),
  );
}

async function converseAt(client: ClientName, server: string, place: Place): Promise<Transcript> {
  const seat = await SEATS[client](place);
  try {
    return await (server === 'everything' ? converseWithEverything(seat) : converse(seat));
  } finally {
    await seat.close();
  }
}

async function placeOf(cell: Cell): Promise<{ place: Place; running: Running | undefined }> {
  if (cell.carrier === 'stdio') return { place: stdioOf(cell.server), running: undefined };
  const running =
    cell.server === 'everything'
      ? await startEverything()
      : await startListening([program('serve'), 'http', cell.server]);
  return { place: running.addresses[0] ?? '', running };
}

/** The server as the client, or the nearest one, sees it without a bridge. */
export async function seeDirectly(cell: Cell): Promise<Transcript> {
  const { place, running } = await placeOf(cell);
  try {
    return await converseAt(nearest(cell), cell.server, place);
  } finally {
    await running?.stop();
  }
}

/** The server as the client sees it through a bridge, with the same carrier on both sides. */
export async function seeBridged(cell: Cell): Promise<Transcript> {
  const { place, running } = await placeOf(cell);
  try {
    if (cell.carrier === 'stdio') return await converseAt(cell.client, cell.server, stdioBridge(place));
    return await seeOverHttp(cell, String(place));
  } finally {
    await running?.stop();
  }
}

async function seeOverHttp(cell: Cell, upstream: string): Promise<Transcript> {
  const bridge = await startListening([program('bridge'), 'http', upstream]);
  try {
    const address = bridge.addresses[0] ?? '';
    // The first generation knows the oldest carrier, so that the bridge has it on both sides.
    const isOldestToo = cell.client === 'one' && isOldest(upstream);
    return await converseAt(cell.client, cell.server, isOldestToo ? address.replace(/mcp$/, 'sse') : address);
  } finally {
    await bridge.stop();
  }
}
