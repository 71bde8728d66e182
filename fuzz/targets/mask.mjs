/** Masking of secrets in logs: secrets are gone in any context, and the work is linear in the text. */
import { McpServer, text as said } from 'crosspoint/server';
import { logCalls } from 'crosspoint/middleware';
import { Client } from 'crosspoint/client';
import { InMemoryTransport } from 'crosspoint/testing';
import * as z from 'zod';
import { cpuMs, fault, verdict } from '../engine/verdict.mjs';
import { hostileString } from '../inputs/hostile-values.mjs';
import { textOf } from '../inputs/text.mjs';

const MOST_MS = 1000;

export const target = {
  name: 'mask',
  about: 'secrets in logs',
  async start() {
    const records = [];
    const server = new McpServer(
      { name: 'masked', version: '1.0.0' },
      { capabilities: { logging: {} }, limits: { 'notifications/message': false } },
    );
    server.use(logCalls({ params: true, results: true, log: (record) => records.push(JSON.stringify(record)) }));
    server.registerTool('log', { inputSchema: { data: z.unknown() } }, ({ data }, ctx) => {
      ctx.log('error', data);
      return said('logged');
    });
    const client = new Client({ name: 'fuzz', version: '1.0.0' }, { revisions: ['2025-11-25'] });
    client.setNotificationHandler(
      'notifications/message',
      ({ params }) => void records.push(JSON.stringify(params.data)),
    );
    const [near, far] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(far), client.connect(near)]);
    return { generate, run: (input) => run({ client, records }, input), stop: () => client.close() };
  },
};

const SECRETS = [
  'sk-abcdefgh12345678',
  'ghp_abcdefghij1234567890',
  'xoxb-1234567890-abc',
  'AKIAABCDEFGHIJKLMNOP',
  'eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl',
  'npm_abcdefghij1234567890',
  'glpat-abcdefghij1234567890',
];
const AROUND = ['', ' ', 'token=', '"', 'x ', '\n', 'Bearer ', '://u:p@', ': ', '; ', '=', '\u2028', 'error at '];
const GROWING = [
  '-eyJAAAAAAAAA',
  'a:b@',
  'token=',
  'Bearer ',
  'sk-',
  '://',
  'x=y&',
  'auth: ',
  '"',
  'gh',
  '\\',
  '-',
  'secret ',
];

function generate(random) {
  if (random.chance(0.2))
    return { data: [{ repeat: random.list(1, 3, () => random.pick(GROWING)).join(''), times: 20_000 }], secrets: [] };
  const secret = random.pick(SECRETS);
  const before = random.pick(AROUND);
  const behind = random.pick(['', ' ', '\n', '"', ',', ';', ' x']);
  return { data: `${hostileString(random).slice(0, 50)} ${before}${secret}${behind}`, secrets: [secret] };
}

/** `data` is a text, or any value under `value`; `secrets` must not be visible in the result. */
async function run({ client, records }, { data, value, secrets }) {
  records.length = 0;
  const given = value ?? textOf(data).slice(0, 200_000);
  const before = cpuMs();
  await client.callTool({ name: 'log', arguments: { data: given } });
  const took = cpuMs() - before;
  const faults =
    took > MOST_MS
      ? [fault('slow', `${Math.round(took)} ms of processor time for ${JSON.stringify(given).length} characters`)]
      : [];
  for (const record of records)
    for (const secret of secrets)
      if (record.includes(secret)) faults.push(fault('broken-rule', `"${secret}" was logged: ${record.slice(0, 200)}`));
  if (records.length < 2) faults.push(fault('broken-rule', 'nothing was logged'));
  return verdict(`${records.length}`, faults, {});
}
