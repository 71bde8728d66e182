import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { StdioReach } from '../../src/config/server-entry.ts';
import type { HostServer } from '../../src/servers/host-server.ts';
import { HostServers } from '../../src/servers/host-servers.ts';
import { ServerUnavailableError, type ServerState } from '../../src/servers/server-state.ts';
import { RecordingPort, child } from './port.ts';

const open: HostServers[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((servers) => servers.close()));
});

function serversOf(port: RecordingPort): HostServers {
  const servers = new HostServers(port, (name) => port.listings.delete(name));
  open.push(servers);
  return servers;
}

/** Waits until a server is not tried again by itself. */
const givenUp = (server: HostServer | undefined): Promise<unknown> =>
  vi.waitFor(() => expect(server?.state).toEqual({ status: 'failed', cause: expect.any(Error) as Error }), 20_000);

const toolsOf = (port: RecordingPort, name: string): string[] =>
  (port.listings.get(name)?.listing.tools ?? []).map((tool) => tool.name);

const failure = (state: ServerState | undefined): string =>
  state?.status === 'failed' ? state.cause.message : `not failed, but ${state?.status}`;

describe('servers', () => {
  it('start side by side, and one that fails takes nothing away from the others', async () => {
    const port = new RecordingPort();
    const servers = serversOf(port);
    for (const entry of [child('good'), child('bad', '--exit'), child('large', '--tools', '400', '--words', '60')])
      servers.add(entry);
    await servers.settled();
    await givenUp(servers.get('bad'));
    expect(servers.list().map(({ name, state }) => [name, state.status])).toEqual([
      ['good', 'ready'],
      ['bad', 'failed'],
      ['large', 'ready'],
    ]);
    expect(failure(servers.get('bad')?.state)).toContain('cannot open the database');
    expect(toolsOf(port, 'good')).toEqual(['tool_0', 'tool_1', 'die', 'grow']);
    expect(toolsOf(port, 'large')).toHaveLength(402);
    expect(port.listings.get('good')?.listing).toMatchObject({
      instructions: 'This is good.',
      prompts: [{ name: 'greet' }],
      resources: [{ uri: 'note://one' }],
    });
  });

  it('stop trying after some failures in a row, until told to', async () => {
    const port = new RecordingPort();
    const servers = serversOf(port);
    const server = servers.add(child('bad', '--exit'));
    await givenUp(server);
    expect(port.states.filter((state) => state === 'bad connecting').length).toBeGreaterThanOrEqual(4);
    await expect(server.ready()).rejects.toThrow(/^The server "bad" cannot be reached: /);
    server.restart();
    await vi.waitFor(() => expect(server.state).toHaveProperty('retryAt'), 20_000);
  });

  it('are started again when they exit, and show meanwhile what they offered last', async () => {
    const port = new RecordingPort();
    const server = serversOf(port).add(child('mortal'));
    const client = await server.ready();
    const pid = (client.transport as unknown as { pid: number }).pid;
    await expect(client.callTool({ name: 'die' })).rejects.toThrow(/exited with code 4/);
    await vi.waitFor(() => expect(port.listings.get('mortal')?.isStale).toBe(true));
    expect(toolsOf(port, 'mortal')).toContain('tool_0');
    const again = await server.ready();
    expect((again.transport as unknown as { pid: number }).pid).not.toBe(pid);
    expect(port.listings.get('mortal')?.isStale).toBe(false);
    expect(port.stderr).toContain('mortal started');
  });

  it('list again what changed', async () => {
    const port = new RecordingPort();
    const server = serversOf(port).add(child('growing'));
    const client = await server.ready();
    await client.callTool({ name: 'grow' });
    await vi.waitFor(() => expect(toolsOf(port, 'growing')).toContain('grown'), 10_000);
  });

  it('that never answer are given up after the time for connecting', async () => {
    const port = Object.assign(new RecordingPort(), { connectMs: 300 });
    const server = serversOf(port).add(child('silent', '--silent'));
    const state = await server.settled();
    expect(state.status).toBe('failed');
  });

  it('at an address that nobody listens on say so', async () => {
    const port = new RecordingPort();
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const url = `http://127.0.0.1:${(probe.address() as AddressInfo).port}/mcp`;
    probe.close();
    const server = serversOf(port).add({ ...child('nobody'), reach: { type: 'http', url } });
    expect(failure(await server.settled())).toContain('ECONNREFUSED');
  });

  it('wait for approval, and start when it is given', async () => {
    const port = new RecordingPort();
    const answers: boolean[] = [];
    port.mayStart = async (_, { onasking }) => {
      onasking('The user is asked.');
      await vi.waitFor(() => expect(answers).not.toEqual([]), 10_000);
      return answers.shift() === true ? { isAllowed: true } : { isAllowed: false, reason: 'Refused.' };
    };
    const server = serversOf(port).add(child('asked'));
    await vi.waitFor(() => expect(server.state).toEqual({ status: 'pending-approval', reason: 'The user is asked.' }));
    answers.push(false);
    await vi.waitFor(() => expect(server.state).toEqual({ status: 'pending-approval', reason: 'Refused.' }));
    await expect(server.ready()).rejects.toThrow(ServerUnavailableError);
    expect(port.stderr).toEqual([]);
    server.restart();
    answers.push(true);
    await vi.waitFor(() => expect(server.state.status).toBe('ready'), 20_000);
  });

  it('can be added, changed and removed while others run', async () => {
    const port = new RecordingPort();
    const servers = serversOf(port);
    const stays = servers.add(child('stays'));
    servers.add(child('goes'));
    await servers.settled();
    const { client } = stays;
    const off = { ...child('off'), isDisabled: true };
    await servers.apply([child('stays'), child('new', '--tools', '1'), off]);
    await servers.settled();
    expect(servers.list().map(({ name, state }) => `${name} ${state.status}`)).toEqual([
      'stays ready',
      'new ready',
      'off disabled',
    ]);
    expect(stays.client).toBe(client);
    expect([...port.listings.keys()]).toEqual(['stays', 'new']);
    await servers.change(child('new', '--tools', '3'));
    await servers.settled();
    expect(toolsOf(port, 'new')).toHaveLength(5);
    expect(() => servers.add(child('new'))).toThrow('There is already a server "new"');
  });

  it('leave no process behind when they are closed, at whatever moment', async () => {
    const port = new RecordingPort();
    const servers = serversOf(port);
    const pids = new Set<number>();
    port.prepare = () => {};
    for (const delay of [0, 5, 40, 120]) {
      const server = servers.add(child(`c${delay}`, '--crash', '50'));
      await new Promise((resolve) => setTimeout(resolve, delay));
      const { pid } = (server.client?.transport ?? {}) as { pid?: number };
      if (pid) pids.add(pid);
    }
    await servers.close();
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(servers.list().every(({ state }) => state.status === 'closed')).toBe(true);
    await expect(servers.list()[0]?.ready()).rejects.toThrow('is closed');
  });

  it('get only the variables that their entry names', async () => {
    process.env['HOST_SECRET_FOR_TEST'] = 'not for servers';
    const port = new RecordingPort();
    const entry = child('env');
    const program = "console.error(process.env.HOST_SECRET_FOR_TEST ?? 'none', process.env.GIVEN ?? 'none')";
    const reach: StdioReach = {
      type: 'stdio',
      command: process.execPath,
      args: ['-e', program],
      env: { GIVEN: 'yes' },
    };
    const server = serversOf(port).add({ ...entry, reach });
    await server.settled();
    delete process.env['HOST_SECRET_FOR_TEST'];
    expect(port.stderr[0]).toBe('none yes');
  });
});
