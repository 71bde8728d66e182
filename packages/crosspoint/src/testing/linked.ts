import { TransportClient } from '../client/client.ts';
import type { ClientOptions } from '../client/client-options.ts';
import type { Implementation } from '../protocol/implementation.ts';
import { InMemoryTransport } from '../transports/memory/in-memory-transport.ts';
import type { Transport } from '../transports/transport.ts';
import { Recorder } from './recorder.ts';
import { ASKABLE, ScriptedAnswers, type ScriptedAnswer } from './scripted-answers.ts';

/** Anything that serves a transport: either of the server classes. */
export interface Connectable {
  connect(transport: Transport): Promise<void>;
}

export interface LinkedOptions extends ClientOptions {
  /** The only revision to speak, by its id; replaces `revisions`. */
  readonly revision?: string;
  /** The name and version that the client gives. */
  readonly info?: Implementation;
  /** False passes messages as objects and not as JSON text: faster, but values that JSON cannot hold get through. */
  readonly text?: boolean;
  /** The client's answers to questions of the server. It then declares all capabilities for being asked, unless `capabilities` says otherwise. */
  readonly answers?: readonly ScriptedAnswer[];
  /** Called with the client before it connects, to set its handlers. */
  readonly prepare?: (client: TransportClient) => void;
}

/** A client that is connected to a server in the same process. */
export interface Linked {
  readonly client: TransportClient;
  /** All messages, from the client's side: `→` sent, `←` received. */
  readonly recorder: Recorder;
  /** The questions that were asked, and whether the script was followed. */
  readonly answers: ScriptedAnswers;
  /** Ends the connection; the server goes on serving others. Rejects with `ScriptError` when `answers` were given and not followed. */
  readonly close: () => Promise<void>;
}

/** Connects a new client to the server over memory. When that fails, both ends are closed and the error says why. */
export async function connectLinked(server: Connectable, options: LinkedOptions = {}): Promise<Linked> {
  const {
    revision,
    info = { name: 'linked-client', version: '1.0.0' },
    text = true,
    prepare,
    answers,
    ...rest
  } = options;
  const [near, far] = InMemoryTransport.createLinkedPair({ text });
  const client = new TransportClient(info, {
    ...rest,
    ...(revision !== undefined && { revisions: [revision] }),
    ...(answers !== undefined && { capabilities: rest.capabilities ?? ASKABLE }),
  });
  const script = new ScriptedAnswers(answers ?? []);
  if (answers !== undefined) script.install(client);
  prepare?.(client);
  const recorder = new Recorder(near);
  await server.connect(far);
  await client.connect(recorder);
  const close = async (): Promise<void> => {
    await client.close();
    if (answers !== undefined) script.verify();
  };
  return { client, recorder, answers: script, close };
}
