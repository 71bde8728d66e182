import { fileURLToPath } from 'node:url';
import { MemoryCredentials } from 'crosspoint/auth';
import type { Listing } from '../../src/catalogue/listing.ts';
import type { ServerEntry } from '../../src/config/server-entry.ts';
import type { Asks } from '../../src/inbox/item.ts';
import type { ServerPort } from '../../src/servers/server-port.ts';

const PROGRAM = fileURLToPath(new URL('../programs/server.mjs', import.meta.url));

/** A child that runs the test server with these arguments. */
export function child(name: string, ...args: string[]): ServerEntry {
  return {
    name,
    reach: { type: 'stdio', command: process.execPath, args: [PROGRAM, '--name', name, ...args] },
    origin: { format: 'program', scope: 'program' },
  };
}

/** A host that allows everything and writes down what its servers tell it. */
export class RecordingPort implements ServerPort {
  readonly info = { name: 'test-host', version: '1.0.0' };
  readonly retry = { initialDelayMs: 20, maxDelayMs: 100, attempts: 4 };
  readonly connectMs = 20_000;
  readonly credentials = new MemoryCredentials();
  readonly asks: Asks = { ask: () => Promise.reject(new Error('nobody answers')) };
  readonly states: string[] = [];
  readonly listings = new Map<string, { readonly listing: Listing; readonly isStale: boolean }>();
  readonly stderr: string[] = [];
  readonly problems: Error[] = [];

  mayStart: ServerPort['mayStart'] = () => Promise.resolve({ isAllowed: true });
  resolve: ServerPort['resolve'] = ({ reach }) => Promise.resolve(reach);
  clientOptions: ServerPort['clientOptions'] = () => ({});
  prepare(): void {}

  onstate: ServerPort['onstate'] = (server, { status }) => void this.states.push(`${server} ${status}`);
  onlisting: ServerPort['onlisting'] = async (server, listing, isStale) =>
    void this.listings.set(server, { listing, isStale });
  onstderr: ServerPort['onstderr'] = (_, line) => void this.stderr.push(line);
  onproblem: ServerPort['onproblem'] = (_, problem) => void this.problems.push(problem);
}
