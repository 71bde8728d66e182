/** A server on Node, on real sockets: every room of `subjects/rooms.mjs`, every revision, several clients at once whose answers are marked. */
import { Client } from 'crosspoint/client';
import { cpuMs, eventually, fault, signed, verdict, within } from '../engine/verdict.mjs';
import { httpCase, variedHttpCase } from '../inputs/http-cases.mjs';
import { split } from '../inputs/mutate.mjs';
import { textOf } from '../inputs/text.mjs';
import { closeRooms, openRooms } from '../subjects/rooms.mjs';
import { learn } from '../wires/received.mjs';
import { RawConnection } from '../wires/raw-connection.mjs';
import { answerFaults, leaks, ruleFaults, runClients } from './http-rules.mjs';

/** Longer than every limit of the rooms together. */
const HEAD_MS = 5000;
/** A stream may stay open for ever: after this many milliseconds the next step begins. */
const WHOLE_MS = 25;
const FREE_MS = 5000;

export const target = {
  name: 'http',
  about: 'a server over HTTP on real sockets',
  /** Milliseconds without clients after which sessions and their events are gone in every room. */
  settleMs: 2500,
  lanes: 32,
  async start() {
    const rooms = await openRooms();
    return {
      generate: httpCase,
      vary: variedHttpCase,
      run: (input) => runCase(rooms, input),
      after: () => heldFaults(rooms),
      rest: () => ordinary(rooms),
      stop: () => closeRooms(rooms),
    };
  },
};

/** Faults for streams that are still held after a case, whose connections are all closed by then. */
async function heldFaults(rooms) {
  // Streams held before are the fault of an earlier case.
  const held = () => Object.values(rooms).filter((room) => room.handler.health.streams > (room.held ?? 0));
  if (await eventually(() => held().length === 0, FREE_MS)) return [];
  return held().map((room) => {
    room.held = room.handler.health.streams;
    return fault(
      'hang',
      `${room.held} streams are still held in the room ${room.name} though every connection is closed`,
    );
  });
}

async function runCase(rooms, input) {
  const room = rooms[input.room];
  const known = {};
  const before = room.problems;
  const cpu = cpuMs();
  const clients = await runClients(input.clients, (client, index) => runClient(room, client, { index, known }));
  const faults = clients.flatMap((client) => client.faults);
  for (const connection of clients.flatMap(({ connections }) => connections)) connection.destroy();
  faults.push(
    ...ruleFaults(input, {
      problems: room.problems - before,
      cpuMs: cpuMs() - cpu,
      answers: clients.map(({ answers }) => answers),
    }),
  );
  const answers = clients.flatMap((client) => client.answers);
  return verdict(signed(input.room, answers.map(signOf)), faults, {
    requests: clients.reduce((sum, { sent }) => sum + sent, 0),
    answers: answers.length,
  });
}

const signOf = ({ status, body }) => `${status}${/"code":(-?\d+)/.exec(body)?.[1] ?? ''}`;

async function runClient(room, client, { index, known }) {
  const connections = [];
  const current = new Map();
  const faults = [];
  let sent = 0;
  for (const step of client.steps.flatMap((each) => Array.from({ length: each.times ?? 1 }, () => each))) {
    let connection = current.get(step.on);
    if (connection === undefined || connection.isClosed) {
      connection = new RawConnection(room.port, client.from);
      connections.push(connection);
      current.set(step.on, connection);
    }
    const isFree = connection.isFree;
    const bytes = bytesOf(step, { ...known, ...own(known, index) }, room.port);
    await write(connection, bytes, step);
    sent += 1;
    if (bytes.length === 0) continue;
    const next = connection.asked;
    connection.asked += 1;
    if (step.wait === false || connection.isClosed) continue;
    // A request behind a stream on the same connection is answered only after the stream ends.
    const headMs = isFree ? HEAD_MS : WHOLE_MS;
    if (!(await connection.answered(next, { headMs, wholeMs: WHOLE_MS })) && isFree)
      faults.push(fault('hang', `step ${sent} got neither an answer nor the end of its connection in ${HEAD_MS} ms`));
    const answer = connection.answers[next];
    if (answer) learn(known, index, answer);
  }
  faults.push(...(await lastingFaults(connections, client.endsWithinMs)));
  const answers = connections.flatMap((connection) => connection.answers);
  faults.push(...answers.flatMap((answer) => answerFaults(room, answer)));
  faults.push(...connections.flatMap((connection) => leaks(room, client, connection.text)));
  return { faults, answers, connections, sent };
}

/** Streams that the server must end by itself, where the case says so. */
async function lastingFaults(connections, ms) {
  if (ms === undefined) return [];
  const areOver = () => connections.every(({ answers, isClosed }) => isClosed || answers.every(({ isOver }) => isOver));
  return (await eventually(areOver, ms)) ? [] : [fault('hang', `a stream still stands after ${ms} ms`)];
}

async function write(connection, bytes, { cut, ending }) {
  for (const part of split(bytes, cut ?? [])) {
    connection.write(part);
    if (cut !== undefined) await new Promise((resolve) => setImmediate(resolve));
  }
  if (ending === 'close') connection.destroy();
  else if (ending === 'reset') connection.reset();
  else if (ending === 'half-close') connection.halfClose();
}

/** The values that this client received, under their plain names. */
function own(known, index) {
  const prefix = `${index}.`;
  return Object.fromEntries(
    Object.entries(known)
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, value]) => [name.slice(prefix.length), value]),
  );
}

function bytesOf({ raw, request }, known, port) {
  if (request === undefined) return Buffer.from(textOf(raw ?? '', known), 'latin1');
  const body = request.body === undefined ? undefined : Buffer.from(textOf(request.body, known), 'utf8');
  const names = new Set(request.headers.map(([name]) => String(name).toLowerCase()));
  const added = [
    ...(names.has('host') ? [] : [['host', `127.0.0.1:${port}`]]),
    ...(request.chunked
      ? [['transfer-encoding', 'chunked']]
      : names.has('content-length') || body === undefined
        ? []
        : [['content-length', body.length]]),
  ];
  const lines = [...added, ...request.headers].map(([name, value]) => `${name}: ${textOf(String(value), known)}\r\n`);
  const head = `${request.method} ${textOf(request.path, known)} HTTP/1.1\r\n${lines.join('')}\r\n`;
  const payload = body === undefined ? Buffer.alloc(0) : request.chunked ? chunked(body) : body;
  return Buffer.concat([Buffer.from(head, 'latin1'), payload]);
}

function chunked(body) {
  const half = body.length >> 1;
  const parts = [body.subarray(0, half), body.subarray(half)].filter((part) => part.length > 0);
  return Buffer.concat([
    ...parts.flatMap((part) => [Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]),
    Buffer.from('0\r\n\r\n'),
  ]);
}

/** An ordinary client of both families is served in every room that serves any client. */
async function ordinary(rooms) {
  const faults = [];
  for (const room of Object.values(rooms)) {
    if (room.mayServe === false || room.isFailing || room.name.startsWith('tight') || room.isBrief) continue;
    for (const revision of ['2025-11-25', '2026-07-28']) {
      if (room.isOneRevision && revision !== '2025-11-25') continue;
      const said = await within(visit(room, revision), 10_000, 'no answer in 10 s');
      if (said !== 'well')
        faults.push(fault('broken-rule', `an ordinary client of ${revision} in the room ${room.name}: ${said}`));
    }
  }
  return faults;
}

async function visit(room, revision) {
  const client = new Client({ name: 'ordinary', version: '1.0.0' }, { revisions: [revision] });
  try {
    const url = `http://127.0.0.1:${room.port}/mcp`;
    await client.connect({ url, requestInit: { headers: { authorization: 'Bearer mark-ordinary' } } });
    const { content } = await client.callTool({ name: 'mark', arguments: { tag: 'well' } });
    return content[0]?.text;
  } catch (error) {
    return String(error);
  } finally {
    await client.close().catch(() => {});
  }
}
