import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '../../crosspoint/test/requirements/proves.ts';
import { OFFICIAL, PACKAGES, PROGRAMS, programs, rename, type Renamed } from './program-runs.ts';

/** What each program shows, and which requirements its transcript proves once it is the same with both packages. */
const SHOWN: readonly { program: string; ids: string; shows: string }[] = [
  {
    program: 'quick-start',
    ids: 'L-SDK-005, L-SDK-007, L-SDK-008, L-SDK-009, L-SDK-011, L-SDK-012, L-SDK-017, L-SDK-018, L-SDK-019, L-SDK-029',
    shows: 'one server behind Express, a transport for every POST',
  },
  {
    program: 'quick-start-stdio',
    ids: 'L-SDK-033, L-SDK-037',
    shows: 'a server that a client starts, with simple tools, one that calls elsewhere and one that gives links',
  },
  {
    program: 'sessions',
    ids: 'L-SDK-021, L-SDK-023, L-SDK-024, L-SDK-025, L-SDK-029',
    shows: 'a map of transports by session, GET and DELETE, streams that go on where they broke',
  },
  { program: 'echo', ids: 'L-SDK-015, L-SDK-016, L-SDK-044', shows: 'a tool, a template and a prompt of one name' },
  {
    program: 'sqlite-explorer',
    ids: 'L-SDK-010, L-SDK-014, L-SDK-045',
    shows: 'a resource and a tool on a database, and an error that is a result',
  },
  {
    program: 'low-level',
    ids: 'L-SDK-048, L-SDK-051, L-SDK-058',
    shows: 'a server of handlers by schema, and all that a client asks of it',
  },
  {
    program: 'asking',
    ids: 'L-SDK-043, L-SDK-049',
    shows: 'sampling, forms, addresses to open and roots, asked by a server',
  },
  { program: 'dynamic', ids: 'L-SDK-046', shows: 'tools, resources and prompts that come, change and go' },
  {
    program: 'completions',
    ids: 'L-SDK-039, L-SDK-040, L-SDK-041, L-SDK-042',
    shows: 'completion of prompts and templates with what is filled in already, and display names',
  },
  { program: 'old-spellings', ids: '', shows: 'tool, resource and prompt in all their forms' },
  {
    program: 'errors',
    ids: 'L-SDK-027, L-SDK-043',
    shows: 'error codes, guards, and what is refused',
  },
  { program: 'debounce', ids: 'L-SDK-047', shows: 'many changes told once, and lists that are read again' },
  { program: 'notifications', ids: 'L-SDK-058', shows: 'logging by level and resources that are watched' },
  { program: 'progress', ids: '', shows: 'progress, cancellation and timeouts' },
  { program: 'host-protection', ids: 'L-SDK-031', shows: 'hosts and origins that are let in' },
  { program: 'browser-clients', ids: '', shows: 'pages of another origin that open, use and end a session' },
  { program: 'web-standard', ids: '', shows: 'a server of web requests and responses' },
  { program: 'shared-parts', ids: '', shows: 'URI templates, line buffers, schemas and streams of one’s own' },
  {
    program: 'undocumented-paths',
    ids: '',
    shows: 'bodies, timers, events and a login as the official package has them',
  },
  { program: 'zod-versions', ids: 'L-SDK-002', shows: 'zod 3 and zod 4 side by side' },
  { program: 'custom', ids: 'L-SDK-026', shows: 'methods and a transport of one’s own' },
  { program: 'tasks', ids: 'L-SDK-050', shows: 'tools that run as tasks' },
  { program: 'sse-fallback', ids: 'L-SDK-054', shows: 'the older transport on both sides, and the way back to it' },
  { program: 'oauth', ids: 'L-SDK-052', shows: 'a login, from the refusal to the renewed token' },
  { program: 'oauth-proxy', ids: 'L-SDK-053', shows: 'a login that is passed on to another server' },
  { program: 'machine-auth', ids: 'L-SDK-052', shows: 'programs that log in with a secret, a key or an assertion' },
  { program: 'client-middleware', ids: '', shows: 'tokens and a log around fetch' },
];

/** Waits for a program that is expected to end, and ends it if it does not. */
function exitCode(file: string, port: number): Promise<number | null> {
  const child = spawn(process.execPath, [file], { env: { ...process.env, PORT: String(port) }, stdio: 'ignore' });
  const tooLate = setTimeout(() => child.kill('SIGKILL'), 60_000);
  return new Promise((resolve) => {
    child.once('exit', (code) => {
      clearTimeout(tooLate);
      resolve(code);
    });
  });
}

it('every program is run', () => {
  expect(programs().sort()).toEqual(SHOWN.map(({ program }) => program).sort());
});

describe.each(PACKAGES)('programs written for the official SDK, run with %s', (name) => {
  let renamed: Renamed;
  beforeAll(() => {
    renamed = rename(name);
  });
  afterAll(() => renamed.remove());

  // Only what our package does proves anything of it.
  const ofOurs = (ids: string): string => (name === OFFICIAL ? '' : ids);

  for (const { program, ids, shows } of SHOWN)
    proves(ofOurs(ids)).it(`${program}: ${shows}`, { timeout: 200_000 }, async () => {
      const transcript = join(PROGRAMS, program, 'transcript.txt');
      const printed = await renamed.run(program);
      expect(printed.trimEnd().split('\n').at(-1)).toBe('{"what":"done"}');
      // The official package says how it is; ours has to be the same.
      if (name === OFFICIAL) await expect(printed).toMatchFileSnapshot(transcript);
      else expect(printed).toBe(readFileSync(transcript, 'utf8'));
    });

  proves(ofOurs('L-SDK-035')).it(
    'quick-start: ends with 1 when its port is taken',
    async () => {
      const taken = createServer();
      await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
      const file = join(renamed.folder, 'quick-start', 'http-server.mjs');
      expect(await exitCode(file, (taken.address() as AddressInfo).port)).toBe(1);
      taken.close();
    },
    90_000,
  );

  proves(ofOurs('L-SDK-004')).it('all of them compile', { timeout: 120_000 }, () => {
    expect(renamed.check()).toEqual({ status: 0, output: '' });
  });
});
