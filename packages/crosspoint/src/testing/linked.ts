import { Client } from '../client/client.ts';
import type { ClientOptions } from '../client/client-options.ts';
import type { Implementation } from '../protocol/implementation.ts';
import { InMemoryTransport } from '../transports/memory/in-memory-transport.ts';
import type { Transport } from '../transports/transport.ts';
import { Recorder } from './recorder.ts';

/** Anything that can serve a transport: either of the server classes. */
export interface Connectable {
  connect(transport: Transport): Promise<void>;
}

export interface LinkedOptions extends ClientOptions {
  /** The one revision to speak, by its id; instead of `revisions`. */
  readonly revision?: string;
  /** Who the client says it is. */
  readonly info?: Implementation;
  /** False: messages pass as they are and not as JSON text, which is faster and lets through what JSON cannot hold. */
  readonly text?: boolean;
  /** Called with the client before it connects, to set its handlers. */
  readonly prepare?: (client: Client) => void;
}

/** A client that is connected to a server in the same process. */
export interface Linked {
  readonly client: Client;
  /** Everything that passed, from the client's side: `→` what it sent, `←` what it received. */
  readonly recorder: Recorder;
  /** Ends the connection; the server goes on serving its others. */
  readonly close: () => Promise<void>;
}

/** Connects a new client to the server over memory. When that fails, both ends are closed and the error says why. */
export async function connectLinked(server: Connectable, options: LinkedOptions = {}): Promise<Linked> {
  const { revision, info = { name: 'linked-client', version: '1.0.0' }, text = true, prepare, ...rest } = options;
  const [near, far] = InMemoryTransport.createLinkedPair({ text });
  const client = new Client(info, revision === undefined ? rest : { ...rest, revisions: [revision] });
  prepare?.(client);
  const recorder = new Recorder(near);
  await server.connect(far);
  await client.connect(recorder);
  return { client, recorder, close: () => client.close() };
}
