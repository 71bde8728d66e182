import { describe, expect, it } from 'vitest';
import { until } from '../../../crosspoint/test/until.ts';
import { failure, runBoth, shown, type Program, type Sdk } from './both.ts';

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' } as const;
const node = (code: string) => ({ command: process.execPath, args: ['-e', code] });
const ECHO = 'process.stdin.pipe(process.stdout)';

/** A transport for a program that runs `code`, which keeps everything it is told. */
function watched(sdk: Sdk, code: string, options: object = {}) {
  const transport = new sdk.StdioClientTransport({ ...node(code), ...options });
  const told: object[] = [];
  const got: unknown[] = [];
  let closed = 0;
  transport.onerror = (error) => void told.push(shown(error));
  transport.onmessage = (message) => void got.push(message);
  transport.onclose = () => void (closed += 1);
  return { transport, told, got, closed: () => closed };
}

const STDIO: Record<string, Program> = {
  'a command that does not exist': async (sdk) => {
    const transport = new sdk.StdioClientTransport({ command: 'no-such-command-anywhere' });
    const told: object[] = [];
    transport.onerror = (error) => void told.push(shown(error));
    return { failed: await failure(transport.start()), told };
  },
  'a command that does not exist, by a client': async (sdk) =>
    failure(
      new sdk.Client({ name: 'c', version: '1' }).connect(new sdk.StdioClientTransport({ command: 'no-such-command' })),
    ),
  'messages before the start, a second start, and messages after the end': async (sdk) => {
    const { transport, got, closed } = watched(sdk, ECHO);
    const early = await failure(transport.send(ping));
    await transport.start();
    const again = await failure(transport.start());
    await transport.send(ping);
    await until(() => got.length === 1);
    await transport.close();
    return { early, again, got, closed: closed(), pid: transport.pid, late: await failure(transport.send(ping)) };
  },
  'lines that are no messages': async (sdk) => {
    const line = `console.log('hello\\n{"a":1}\\n${JSON.stringify(ping)}'); ${ECHO}`;
    const { transport, told, got } = watched(sdk, line);
    await transport.start();
    await until(() => got.length === 1);
    await transport.close();
    return { classes: told.map((each) => (each as { class: string }).class), first: told[0], got };
  },
  'lines that are no messages, by a client': async (sdk) => {
    const answer = `console.log('starting up'); process.stdin.once('data', () => process.exit())`;
    const transport = new sdk.StdioClientTransport(node(answer));
    const client = new sdk.Client({ name: 'c', version: '1' });
    const told: unknown[] = [];
    client.onerror = ({ message }) => void told.push(message);
    await failure(client.connect(transport));
    return told;
  },
  'a message beyond maxBufferSize': async (sdk) => {
    const { transport, told, closed } = watched(sdk, `process.stdout.write('x'.repeat(500))`, { maxBufferSize: 100 });
    await transport.start();
    await until(() => closed() === 1);
    return told;
  },
  'a process that was started before the client connects is left running': async (sdk) => {
    const { transport } = watched(sdk, ECHO);
    await transport.start();
    const refused = await failure(new sdk.Client({ name: 'c', version: '1' }).connect(transport));
    const isRunning = transport.pid !== null;
    await transport.close();
    return { refused, isRunning };
  },
};

const MEMORY: Record<string, Program> = {
  'a message is delivered while it is sent, before the start': async ({ InMemoryTransport }) => {
    const [one, two] = InMemoryTransport.createLinkedPair();
    const got: unknown[] = [];
    two.onmessage = (message, extra) => void got.push([message, extra]);
    const sent = one.send(ping, { authInfo: { token: 't', clientId: 'c', scopes: [] } });
    const atOnce = got.length;
    await sent;
    return { atOnce, got };
  },
  'a message without a listener waits for the start': async ({ InMemoryTransport }) => {
    const [one, two] = InMemoryTransport.createLinkedPair();
    await one.send(ping);
    const got: unknown[] = [];
    two.onmessage = (message) => void got.push(message);
    const early = got.length;
    await two.start();
    return { early, got };
  },
  'closing one end closes both, started or not': async ({ InMemoryTransport }) => {
    const [one, two] = InMemoryTransport.createLinkedPair();
    const order = new Set<string>();
    one.onclose = () => void order.add('one');
    two.onclose = () => void order.add('two');
    await one.close();
    return { order: [...order], sent: [await failure(one.send(ping)), await failure(two.send(ping))] };
  },
};

const nothing = () => () => {};

describe.each([
  ['stdio', STDIO],
  ['within a process', MEMORY],
])('%s: a program sees with ours what it sees with v1', (_what, cases) => {
  it.each(Object.entries(cases))('%s', async (_name, program) => {
    const [official, ours] = await runBoth(program, nothing);
    expect(ours).toEqual(official);
  });
});
