import { Client, createVerdictMemory, type ClientOptions } from '../../src/client/index.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { FakeTransport, type Behaviour, type FakeTransportOptions } from './fake-server.ts';

export interface Connected {
  client: Client;
  transport: FakeTransport;
  clock: ManualClock;
  problems: Error[];
}

export function prepared(
  script: Behaviour | ((run: number) => Behaviour),
  options: ClientOptions = {},
  transportOptions: FakeTransportOptions = {},
): Connected {
  const clock = new ManualClock();
  const problems: Error[] = [];
  const client = new Client(
    { name: 'test-client', version: '1.2.3' },
    { clock, verdicts: createVerdictMemory({ clock }), onproblem: (problem) => problems.push(problem), ...options },
  );
  return { client, clock, problems, transport: new FakeTransport(script, transportOptions) };
}

/** A client connected to the scripted server. */
export async function connected(
  script: Behaviour | ((run: number) => Behaviour),
  options?: ClientOptions,
  transportOptions?: FakeTransportOptions,
): Promise<Connected> {
  const all = prepared(script, options, transportOptions);
  await all.client.connect(all.transport);
  return all;
}

/** The rejection of a promise, for several assertions on it. */
export async function failure(promise: Promise<unknown>): Promise<Error & Record<string, unknown>> {
  return promise.then(
    (value) => {
      throw new Error(`expected a rejection, got ${JSON.stringify(value)}`);
    },
    (error: unknown) => error as Error & Record<string, unknown>,
  );
}
