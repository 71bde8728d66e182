import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../packages.mjs';
import { CLIENTS } from '../peers/clients.mjs';
import { peerEnvironment } from '../peers/environment.mjs';
import { Findings } from '../peers/findings.mjs';
import { pageOf, rowOf, rowsIn, sameRow } from '../peers/page.mjs';
import { SERVERS } from '../peers/servers.mjs';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';

const page = readFileSync(join(ROOT, 'docs', 'peers.md'), 'utf8');
const EXACT = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;
const PEERS = [...SERVERS, ...CLIENTS];

describe('the list of peers', () => {
  it('has at least 20 servers and 15 clients, each once and in an exact version', () => {
    expect(SERVERS.length).toBeGreaterThanOrEqual(20);
    expect(CLIENTS.length).toBeGreaterThanOrEqual(15);
    expect(new Set(PEERS.map(({ side, name }) => `${side} ${name}`)).size).toBe(PEERS.length);
    for (const { version, beside = {} } of PEERS)
      for (const one of [version, ...Object.values(beside)]) expect(one).toMatch(EXACT);
  });

  it.each(PEERS)('$side $name has a row with its version', ({ side, name, version }) => {
    const rows = rowsIn(page).filter((row) => row.side === side && row.name === name);
    expect(rows.length).toBeGreaterThanOrEqual(1);
    for (const { line } of rows) expect(line).toContain(`\`${name}\` ${version} |`);
  });

  it('is all that the page has, around the words of the script', () => {
    const rows = rowsIn(page);
    const strangers = rows.filter((row) => !PEERS.some(({ side, name }) => side === row.side && name === row.name));
    expect(strangers).toEqual([]);
    // The page names the Node and the system that it was written with.
    const machine = /with Node\n\d+ on \w+,/;
    expect(page.replace(machine, '')).toBe(pageOf(SERVERS, CLIENTS, rows).replace(machine, ''));
  });
});

describe('a row', () => {
  const [peer] = SERVERS;
  const found = (connectMs, cannot = []) =>
    Object.assign(new Findings('stdio'), { connectMs, cannot, worked: ['call'] });

  it('is the same with another time, and another one with another finding', () => {
    const row = rowOf(peer, found(300));
    expect(row.line).toContain('| 0.3 s | call | – |');
    expect(sameRow(row, rowOf(peer, found(4000)))).toBe(true);
    expect(sameRow(row, rowOf(peer, found(300, ['prompts'])))).toBe(false);
    expect(rowsIn(row.line)).toEqual([row]);
  });
});

describe('the environment of a peer', () => {
  it('lets it listen on loopback alone, and reach nothing else', () => {
    const folder = mkdtempSync(join(tmpdir(), 'peers-test-'));
    const program = `
      import { connect, createServer } from 'node:net';
      const server = createServer((socket) => socket.end()).listen(0, '0.0.0.0', () => {
        const { address, port } = server.address();
        connect(port, '127.0.0.1').on('close', () => {
          connect({ host: '192.0.2.1', port: 80 }).on('error', ({ code }) => {
            console.log(address, code);
            server.close();
          });
        }).resume();
      });`;
    const env = { PATH: process.env['PATH'], ...peerEnvironment(folder) };
    const given = ['--input-type=module', '-e', program];
    try {
      expect(execFileSync(process.execPath, given, { env, encoding: 'utf8' })).toBe('127.0.0.1 ENETUNREACH\n');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
