import { describe, expect, it } from 'vitest';
import type { BridgeCommand } from '../../src/program/bridge-command.ts';
import { HELP } from '../../src/program/help.ts';
import { OPTION_NAMES } from '../../src/program/option-table.ts';
import { readArguments } from '../../src/program/read-arguments.ts';
import { UsageError } from '../../src/program/usage-error.ts';

const words = (line: string): string[] => line.split(' ').filter((word) => word !== '');

function command(line: string): BridgeCommand {
  const read = readArguments(words(line));
  if (read.action !== 'serve') throw new Error(`It was ${read.action}.`);
  return read.command;
}

const URL_TARGET = 'https://mcp.example.com/mcp';
const AUTH = '--issuer https://login.example.com --audience https://mcp.example.com/mcp';

describe('a command line', () => {
  it('of an address alone is a bridge over stdio with the defaults', () => {
    expect(command(URL_TARGET)).toEqual({
      target: {
        kind: 'address',
        url: { from: 'arguments', value: URL_TARGET },
        headers: {},
        login: false,
        credentials: undefined,
      },
      face: { kind: 'stdio', isExplicit: false },
      stateless: false,
      concurrency: undefined,
      questions: undefined,
      parkMs: undefined,
      maxParked: undefined,
      maxRounds: undefined,
      store: { kind: 'memory' },
      keyFile: undefined,
      record: undefined,
      log: 'normal',
    });
  });

  it('of a command has the words after "--" as they are, options and further "--" included', () => {
    const { target } = command(
      '--max-children 4 --env A --env B=@/b --env C=env:D --env E=x=y --cwd /srv -- node s.mjs --listen -- x',
    );
    expect(target).toEqual({
      kind: 'program',
      command: 'node',
      args: ['s.mjs', '--listen', '--', 'x'],
      env: {
        A: { from: 'environment', name: 'A' },
        B: { from: 'file', path: '/b' },
        C: { from: 'environment', name: 'D' },
        E: { from: 'arguments', value: 'x=y' },
      },
      cwd: '/srv',
      maxChildren: 4,
      maxChildrenPerCaller: undefined,
      waitMs: undefined,
    });
  });

  it('has every option', () => {
    const read = command(
      '--questions tasks --stateless --concurrency wait --park-seconds 90 --max-parked 0 --max-rounds 3 --store sqlite:/var/x.db --key-file /k --record /r --log quiet --wait-seconds 2 --max-children-per-caller 3 --stdio -- s',
    );
    expect(read).toMatchObject({
      questions: 'tasks',
      stateless: true,
      concurrency: 'wait',
      parkMs: 90_000,
      maxParked: 0,
      maxRounds: 3,
      store: { kind: 'sqlite', path: '/var/x.db' },
      keyFile: '/k',
      record: '/r',
      log: 'quiet',
      face: { kind: 'stdio', isExplicit: true },
      target: { waitMs: 2000, maxChildrenPerCaller: 3 },
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

  it('has headers from files, variables, and the command line where they are no secret', () => {
    const { target } = command(
      `--header Authorization=@/t --header X-Team=blue --header X-Api-Key=env:KEY ${URL_TARGET}`,
    );
    expect(target).toMatchObject({
      headers: {
        authorization: { from: 'file', path: '/t' },
        'x-team': { from: 'arguments', value: 'blue' },
        'x-api-key': { from: 'environment', name: 'KEY' },
      },
    });
  });

  it.each([
    ['redis:redis://127.0.0.1:6379', { from: 'arguments', value: 'redis://127.0.0.1:6379' }],
    ['redis://127.0.0.1:6379', { from: 'arguments', value: 'redis://127.0.0.1:6379' }],
    ['redis:@/r', { from: 'file', path: '/r' }],
    ['redis:env:REDIS_URL', { from: 'environment', name: 'REDIS_URL' }],
  ])('--store %s', (text, url) => {
    expect(command(`--store ${text} ${URL_TARGET}`).store).toEqual({ kind: 'redis', url });
  });

  it('of --help or --version is that, whatever else it holds', () => {
    expect(readArguments(['--help'])).toEqual({ action: 'help' });
    expect(readArguments(['-h', '--listen', 'nonsense'])).toEqual({ action: 'help' });
    expect(readArguments(['--version'])).toEqual({ action: 'version' });
  });
});

const NO_SECRET = 'a secret does not belong on the command line';

describe('a wrong command line is refused, and says what to write', () => {
  it.each([
    ['', 'The server is missing.'],
    ['--', 'The command after "--" is missing'],
    ['node server.mjs', '"node …" is no address. To run a program, write "--" before it'],
    ['server', '"server" is no address.'],
    [`${URL_TARGET} more`, 'is no address.'],
    [`${URL_TARGET} -- node s`, 'are two servers'],
    ['ftp://example.com', 'begins with ftp:, and must begin with http: or https:'],
    ['https://', 'is no URL'],
    ['https://me:pw@example.com', 'The address holds a name or a password.'],
    ['https://example.com/?api_key=1', 'The address holds "api_key", which is probably a secret'],
    [`--nonsense ${URL_TARGET}`, '"--nonsense" is no option of the bridge.'],
    [`--token=hidden ${URL_TARGET}`, '"--token" is no option of the bridge.'],
    [`-x ${URL_TARGET}`, '"-x" is no option of the bridge.'],
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
    // options of the other kind of server
    [`--header X-A=1 -- s`, '--header is for a server at an address'],
    [`--login -- s`, '--login is for a server at an address'],
    [`--env A ${URL_TARGET}`, '--env is for a server that is a command'],
    [`--cwd /x ${URL_TARGET}`, '--cwd is for a server that is a command'],
    [`--max-children 2 ${URL_TARGET}`, '--max-children is for a server that is a command'],
    [`--credentials /c ${URL_TARGET}`, 'Add --login'],
    [`--login --header Authorization=@/x ${URL_TARGET}`, 'two ways to log in'],
    // values
    [`--max-children 0 -- s`, '--max-children "0": a whole number from 1 to 10000 is expected'],
    [`--max-children many -- s`, 'a whole number from 1 to 10000 is expected'],
    [`--max-children 1e3 -- s`, 'a whole number'],
    [`--max-children=-1 -- s`, 'a whole number'],
    [`--park-seconds 1.5 ${URL_TARGET}`, '--park-seconds "1.5": a whole number from 1 to 86400'],
    [`--park-seconds 100000 ${URL_TARGET}`, 'a whole number from 1 to 86400'],
    [`--max-parked x ${URL_TARGET}`, 'a whole number'],
    [`--max-rounds 0 ${URL_TARGET}`, 'a whole number'],
    [`--concurrency both ${URL_TARGET}`, '--concurrency "both": own, wait are possible'],
    [`--log loud ${URL_TARGET}`, '--log "loud": quiet, normal, verbose are possible'],
    [`--store disk ${URL_TARGET}`, '--store is memory, sqlite:FILE'],
    [`--store sqlite: ${URL_TARGET}`, '--store is memory, sqlite:FILE'],
    [`--store redis:127.0.0.1 ${URL_TARGET}`, '--store redis: needs an address'],
    [`--questions never ${URL_TARGET}`, '--questions "never": rounds, tasks are possible'],
  ])('%s', (line, message) => {
    let thrown: unknown;
    try {
      readArguments(words(line));
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(UsageError);
    expect((thrown as Error).message).toContain(message);
    expect((thrown as Error).message).not.toMatch(/hidden|hush|xyz|:pw@/);
  });

  it('a value with spaces that begins like a token, too', () => {
    expect(() => readArguments(['--header', 'X-Custom=Bearer abc', URL_TARGET])).toThrow(NO_SECRET);
  });
});

it('--help names every option, and fits into a terminal of 130 columns', () => {
  for (const line of HELP.split('\n')) expect(line.length).toBeLessThanOrEqual(130);
  expect(OPTION_NAMES.filter((name) => !HELP.includes(`  --${name}`) && !HELP.includes(` --${name} `))).toEqual([]);
});
