import { describe, expect, it } from 'vitest';
import { readHeaders, type BridgeCommand } from '@crosspoint/gateway/program';
import { settingsOf } from '../../../gateway/src/program/settings-of.ts';
import { SourceReader } from '../../../gateway/src/program/source-reader.ts';
import { memoryStore } from '../../../crosspoint/src/stores/index.ts';
import { bridge } from '../../src/commands/bridge/bridge.ts';
import type { BridgeValues } from '../../src/commands/bridge/bridge-options.ts';
import { readBridge } from '../../src/commands/bridge/read-bridge.ts';
import { cliErrorOf } from '../../src/errors/cli-error-of.ts';
import { parseLine } from '../../src/grammar/parse.ts';
import { findTarget, type FoundTarget } from '../../src/target/find-target.ts';
import { homeOf } from '../../src/place/home.ts';

const words = (line: string): string[] => line.split(' ').filter((word) => word !== '');

/** The bridge that a line describes, but for its server. */
function command(line: string): Omit<BridgeCommand, 'target' | 'record'> {
  return readBridge(parseLine(bridge, words(line)).given.options as object as BridgeValues);
}

/** The server that a line names. */
async function target(line: string): Promise<FoundTarget> {
  const { given, reaching } = parseLine(bridge, words(line));
  if (given.target === undefined) throw new Error('There is no server.');
  const home = homeOf({ CROSSPOINT_HOME: '/nowhere' });
  return findTarget(given.target, reaching, { home, cwd: '/', env: { KEY: 'from-env' }, warn() {} });
}

const URL_TARGET = 'https://mcp.example.com/mcp';
const AUTH = '--issuer https://login.example.com --audience https://mcp.example.com/mcp';

describe('a command line', () => {
  it('of an address alone is a bridge over stdio with the defaults', () => {
    expect(command(URL_TARGET)).toEqual({
      face: { kind: 'stdio' },
      stateless: false,
      store: { kind: 'memory' },
    });
  });

  it('of a command has the words after "--" as they are, options and further "--" included', async () => {
    const { entry } = await target('--env C=env:KEY --env E=x=y --cwd /srv -- node s.mjs --listen -- x');
    expect(entry.reach).toEqual({
      type: 'stdio',
      command: 'node',
      args: ['s.mjs', '--listen', '--', 'x'],
      env: { C: 'from-env', E: 'x=y' },
      cwd: '/srv',
    });
  });

  it('has every option, and hands them to the bridge', () => {
    const read = command(
      '--questions tasks --stateless --concurrency wait --park-seconds 90 --max-parked 0 --max-rounds 3 --store sqlite:/var/x.db --key-file /k --log quiet --revision 2025-06-18 --stdio -- s',
    );
    expect(read).toEqual({
      questions: 'tasks',
      stateless: true,
      concurrency: 'wait',
      parkMs: 90_000,
      maxParked: 0,
      maxRounds: 3,
      store: { kind: 'sqlite', path: '/var/x.db' },
      keyFile: '/k',
      log: 'quiet',
      face: { kind: 'stdio' },
    });
    const child = { kind: 'program', command: 's', maxChildrenPerCaller: 9 } as const;
    const store = memoryStore();
    const settings = settingsOf(
      { ...read, keyFile: undefined, revisions: ['2025-06-18'], target: child },
      new SourceReader({}, () => {}),
      { store, onproblem() {} },
    );
    expect(settings).toMatchObject({
      questions: 'tasks',
      sessions: { perCaller: 9 },
      stateless: true,
      concurrency: 'wait',
      parking: { forMs: 90_000, atMost: 0 },
      maxRounds: 3,
      client: { revisions: ['2025-06-18'] },
      store,
    });
  });

  it.each([
    ['127.0.0.1:3000', { host: '127.0.0.1', port: 3000, path: '/mcp', isLoopback: true }],
    ['127.9.9.9:0/', { host: '127.9.9.9', port: 0, path: '/', isLoopback: true }],
    ['LocalHost:80/a/b-c.d~', { host: 'localhost', port: 80, path: '/a/b-c.d~', isLoopback: true }],
    ['[::1]:3000', { host: '::1', port: 3000, path: '/mcp', isLoopback: true }],
  ])('--listen %s', (text, address) => {
    expect(command(`--listen ${text} ${URL_TARGET}`).face).toMatchObject({
      kind: 'http',
      address,
      authentication: undefined,
    });
  });

  it.each([
    ['--listen 0.0.0.0:3000', false],
    ['--listen [::]:3000', false],
    ['--listen 127.0.0.1:3000', true],
  ])('%s with an issuer: the host of the audience is allowed', (listen, isLoopback) => {
    expect(command(`${listen} ${AUTH} --scope a --scope b --allow-host other:8443 ${URL_TARGET}`).face).toMatchObject({
      address: { isLoopback },
      allowedHosts: ['mcp.example.com', 'other:8443'],
      authentication: {
        kind: 'issuer',
        issuer: 'https://login.example.com',
        audience: 'https://mcp.example.com/mcp',
        scopes: ['a', 'b'],
      },
    });
  });

  it('has the other ways to authenticate', () => {
    const introspection =
      '--introspection https://login.example.com/i --introspection-client me --introspection-secret @/s';
    expect(command(`--listen 0.0.0.0:1 ${AUTH} ${introspection} ${URL_TARGET}`).face).toMatchObject({
      authentication: { kind: 'introspection', client: 'me', secret: { from: 'file', path: '/s' } },
    });
    expect(command(`--listen 0.0.0.0:1 --token-file /t ${URL_TARGET}`).face).toMatchObject({
      authentication: { kind: 'tokens', path: '/t' },
      allowedHosts: [],
    });
  });

  it('has headers from variables, and the command line where they are no secret', async () => {
    const { entry, secrets } = await target(`--header X-Team=blue --header X-Api-Key=env:KEY ${URL_TARGET}`);
    expect(entry.reach).toMatchObject({ headers: { 'x-team': 'blue', 'x-api-key': 'from-env' } });
    expect(secrets).toEqual(['from-env']);
  });

  it.each([
    ['redis:redis://127.0.0.1:6379', { from: 'arguments', value: 'redis://127.0.0.1:6379' }],
    ['redis://127.0.0.1:6379', { from: 'arguments', value: 'redis://127.0.0.1:6379' }],
    ['redis:@/r', { from: 'file', path: '/r' }],
    ['redis:env:REDIS_URL', { from: 'environment', name: 'REDIS_URL' }],
  ])('--store %s', (text, url) => {
    expect(command(`--store ${text} ${URL_TARGET}`).store).toEqual({ kind: 'redis', url });
  });
});

const NO_SECRET = 'a secret does not belong on the command line';

describe('a wrong command line is refused, and says what to write', () => {
  it.each([
    ['', 'The server is missing.'],
    ['--', 'The command of the server is missing after "--"'],
    ['node server.mjs', 'There is a word too many: "server.mjs"'],
    ['server', 'There is no server "server" configured or kept.'],
    [`${URL_TARGET} more`, 'There is a word too many'],
    [`${URL_TARGET} -- node s`, 'There is a word too many'],
    ['ftp://example.com', 'is no address of HTTP: it must begin with http:// or https://'],
    ['https://', 'The address cannot be read.'],
    ['https://me:pw@example.com', 'The address holds a name or a password'],
    ['https://example.com/?api_key=1', 'The address holds "api_key", which is probably a secret'],
    [`--nonsense ${URL_TARGET}`, '"--nonsense" is no option of this command.'],
    [`--token=hidden ${URL_TARGET}`, '"--token" is no option of this command.'],
    [`-x ${URL_TARGET}`, '"-x" is no option of this command.'],
    [`--listen`, '--listen needs a value'],
    [`--listen= ${URL_TARGET}`, '--listen needs a value that is not empty.'],
    [`--sse=yes --listen 127.0.0.1:1 ${URL_TARGET}`, '--sse takes no value.'],
    [`--log quiet --log verbose ${URL_TARGET}`, '--log was given twice.'],
    [`--stdio --stdio ${URL_TARGET}`, '--stdio was given twice.'],
    // the face
    [`--listen 3000 ${URL_TARGET}`, 'write the interface as well, such as --listen 127.0.0.1:3000'],
    [`--listen 127.0.0.1 ${URL_TARGET}`, 'is not HOST:PORT or HOST:PORT/PATH'],
    [`--listen :3000 ${URL_TARGET}`, 'is not HOST:PORT or HOST:PORT/PATH'],
    [`--listen ::1:3000 ${URL_TARGET}`, 'is not HOST:PORT or HOST:PORT/PATH'],
    [`--listen http://127.0.0.1:3000 ${URL_TARGET}`, 'is not HOST:PORT or HOST:PORT/PATH'],
    [`--listen 127.0.0.1:70000 ${URL_TARGET}`, 'a port is at most 65535'],
    [`--listen 127.0.0.1:1/a/ ${URL_TARGET}`, 'the path must not end in a slash'],
    [`--listen 127.0.0.1:1/a//b ${URL_TARGET}`, 'the path must not'],
    [`--listen 127.0.0.1:1/../b ${URL_TARGET}`, 'the path must not'],
    [`--listen 127.0.0.1:1 --stdio ${URL_TARGET}`, '--stdio and --listen exclude each other'],
    [`--listen 0.0.0.0:3000 ${URL_TARGET}`, '--listen 0.0.0.0: other machines could use the server as you'],
    [`--listen [::]:3000 ${URL_TARGET}`, 'other machines could use the server as you'],
    [`--listen 192.168.1.2:3000 ${URL_TARGET}`, 'other machines could use the server as you'],
    [`--listen example.com:3000 ${URL_TARGET}`, 'other machines could use the server as you'],
    [`--listen 127.0.0.1.example.com:3000 ${URL_TARGET}`, 'other machines could use the server as you'],
    [
      `--listen 127.0.0.1:3000 --allow-host mcp.example.com ${URL_TARGET}`,
      '--allow-host lets callers of other machines in',
    ],
    [`--listen 127.0.0.1:3000 ${AUTH} --allow-host https://x ${URL_TARGET}`, 'is no host'],
    [`--listen 127.0.0.1:3000 --allow-origin example.com ${URL_TARGET}`, 'is no origin'],
    [`--listen 127.0.0.1:3000 --allow-origin https://example.com/ ${URL_TARGET}`, 'is no origin'],
    [`--sse ${URL_TARGET}`, '--sse is for a bridge that serves HTTP. Add --listen'],
    [`${AUTH} ${URL_TARGET}`, 'is for a bridge that serves HTTP. Add --listen'],
    [`--token-file /t ${URL_TARGET}`, 'is for a bridge that serves HTTP. Add --listen'],
    // who may call
    [`--listen 127.0.0.1:1 --issuer https://a.example ${URL_TARGET}`, '--issuer needs --audience URL'],
    [`--listen 127.0.0.1:1 --audience https://a.example ${URL_TARGET}`, '--audience needs --issuer URL'],
    [`--listen 127.0.0.1:1 --scope a ${URL_TARGET}`, '--scope needs --issuer URL'],
    [`--listen 127.0.0.1:1 --issuer http://a.example --audience https://b.example ${URL_TARGET}`, 'https: is needed'],
    [`--listen 127.0.0.1:1 --issuer nonsense --audience https://b.example ${URL_TARGET}`, '--issuer must be a URL'],
    [`--listen 127.0.0.1:1 --issuer https://a.example --audience x:y ${URL_TARGET}`, '--audience must be a URL'],
    [`--listen 127.0.0.1:1 ${AUTH} --token-file /t ${URL_TARGET}`, 'are two ways to authenticate callers'],
    [
      `--listen 127.0.0.1:1 ${AUTH} --introspection https://a.example/i ${URL_TARGET}`,
      '--introspection needs --introspection-client',
    ],
    [`--listen 127.0.0.1:1 ${AUTH} --introspection-client me ${URL_TARGET}`, 'need --introspection URL'],
    [
      `--listen 127.0.0.1:1 ${AUTH} --introspection https://a.example/i --introspection-client me --introspection-secret hush ${URL_TARGET}`,
      `--introspection-secret: ${NO_SECRET}`,
    ],
    // secrets
    [`--header Authorization=xyz ${URL_TARGET}`, `--header Authorization: ${NO_SECRET}`],
    [`--header authorization=xyz ${URL_TARGET}`, NO_SECRET],
    [`--header X-Api-Key=xyz ${URL_TARGET}`, NO_SECRET],
    [`--header Cookie=xyz ${URL_TARGET}`, NO_SECRET],
    [`--env GITHUB_TOKEN=xyz -- s`, `--env GITHUB_TOKEN: ${NO_SECRET}`],
    [`--store redis:redis://:pw@127.0.0.1 ${URL_TARGET}`, NO_SECRET],
    [`--header Authorization ${URL_TARGET}`, '--header needs NAME=@FILE'],
    [`--header =x ${URL_TARGET}`, '--header needs NAME=@FILE'],
    [`--header X-Team= ${URL_TARGET}`, '--header X-Team: the value is missing'],
    [`--header X-Team=@ ${URL_TARGET}`, 'the name of a file is missing after "@"'],
    [`--header X(=1 ${URL_TARGET}`, 'is no name of a header'],
    [`--header Mcp-Session-Id=1 ${URL_TARGET}`, 'the bridge writes this header itself'],
    [`--header Host=1 ${URL_TARGET}`, 'the bridge writes this header itself'],
    [`--header X-A=1 --header x-a=2 ${URL_TARGET}`, '--header: x-a was given twice'],
    [`--env 1A -- s`, '"1A" is no name of a variable'],
    [`--env A=env:1 -- s`, '"1" is no name of a variable'],
    [`--env A --env A=1 -- s`, '--env: A was given twice'],
    [`--env NOT_SET_ANYWHERE -- s`, 'the variable NOT_SET_ANYWHERE is not set'],
    [`--env A=@/no/such/file -- s`, 'cannot be read (ENOENT)'],
    // options of the other kind of server
    [`--header X-A=1 -- s`, '--header is for a server at an address'],
    [`--env A ${URL_TARGET}`, '--env is for a command after "--"'],
    [`--cwd /x ${URL_TARGET}`, '--cwd is for a command after "--"'],
    [`--credentials /c ${URL_TARGET}`, 'Add --login'],
    // values
    [`--max-children 0 -- s`, '--max-children must be a whole number from 1 to 10000, not "0"'],
    [`--max-children many -- s`, 'a whole number from 1 to 10000'],
    [`--max-children 1e3 -- s`, 'a whole number'],
    [`--max-children=-1 -- s`, 'a whole number'],
    [`--park-seconds 1.5 ${URL_TARGET}`, '--park-seconds must be a whole number from 1 to 86400, not "1.5"'],
    [`--park-seconds 100000 ${URL_TARGET}`, 'a whole number from 1 to 86400'],
    [`--max-parked x ${URL_TARGET}`, 'a whole number'],
    [`--max-rounds 0 ${URL_TARGET}`, 'a whole number'],
    [`--concurrency both ${URL_TARGET}`, '--concurrency must be one of own, wait'],
    [`--log loud ${URL_TARGET}`, '--log must be one of quiet, normal, verbose'],
    [`--store disk ${URL_TARGET}`, '--store is memory, sqlite:FILE'],
    [`--store sqlite: ${URL_TARGET}`, '--store is memory, sqlite:FILE'],
    [`--store redis:127.0.0.1 ${URL_TARGET}`, '--store redis: needs an address'],
    [`--questions never ${URL_TARGET}`, '--questions must be one of rounds, tasks'],
  ])('%s', async (line, message) => {
    const thrown = await Promise.resolve()
      .then(() => command(line))
      .then(() => target(line))
      .catch((error: unknown) => error);
    expect(cliErrorOf(thrown).ending).toBe('usage');
    expect((thrown as Error).message).toContain(message);
    expect((thrown as Error).message).not.toMatch(/hidden|hush|xyz|:pw@/);
  });

  it('a value with spaces that begins like a token, too', () => {
    expect(() => readHeaders(['X-Custom=Bearer abc'])).toThrow(NO_SECRET);
  });
});
