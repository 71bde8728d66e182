// The time that a process spends in each part: samples of V8's profiler, summed up.

/** Functions that do little but JSON, so that its cost can be measured. */
const JSON_FUNCTIONS = new Set(['toText', 'parseBody', 'parseLine']);
/** Functions of Node that are not JavaScript and reach the system. */
const SYSTEM = /^(?:write|writev|writeBuffer|writeLatin1String|writeUtf8String|readStart|readStop|read|shutdown)$/;

/** Parts and their tests; the first that matches applies. */
const PARTS = [
  ['waiting', ({ functionName }) => functionName === '(idle)'],
  // The profiler itself.
  ['waiting', ({ url, functionName }) => url === '' && functionName === 'dispatch'],
  ['garbage', ({ functionName }) => functionName === '(garbage collector)'],
  ['system calls', ({ url, functionName }) => url === '' && SYSTEM.test(functionName)],
  ['V8 and Node, native', ({ url }) => url === ''],
  ['Node: http, streams, events, timers', ({ url }) => url.startsWith('node:')],
  ['JSON', ({ functionName }) => JSON_FUNCTIONS.has(functionName)],
  ['the schema library', ({ url }) => url.includes('/zod/')],
  [
    'this library: the server',
    ({ url }) => /\/crosspoint\/dist\/(?:server\/|chunks\/(?:serve[rd]|tasks|asking)\.)/.test(url),
  ],
  ['this library: the client', ({ url }) => /\/crosspoint\/dist\/(?:client\/|chunks\/client)/.test(url)],
  ['this library: peer, revisions, schemas, wire', ({ url }) => url.includes('/crosspoint/dist/chunks/')],
  ['this library: transports', ({ url }) => url.includes('/crosspoint/dist/')],
  ['the program that is measured', () => true],
];

const partOf = (frame) => PARTS.find(([, fits]) => fits(frame))[0];

/**
 * Self time by part and by function, as shares of the time that was not spent waiting.
 * @param {{ nodes: { id: number, callFrame: { functionName: string, url: string, lineNumber: number } }[], samples: number[], timeDeltas: number[] }} profile
 */
export function selfTime({ nodes, samples, timeDeltas }) {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const parts = new Map();
  const functions = new Map();
  let busy = 0;
  samples.forEach((id, index) => {
    const frame = frames.get(id);
    const part = partOf(frame);
    if (part === 'waiting') return;
    const spent = timeDeltas[index];
    busy += spent;
    parts.set(part, (parts.get(part) ?? 0) + spent);
    if (!part.startsWith('this library') && part !== 'JSON') return;
    const name = `${frame.functionName || '(unnamed)'} (${frame.url.split('/').slice(-2).join('/')}:${frame.lineNumber + 1})`;
    functions.set(name, (functions.get(name) ?? 0) + spent);
  });
  const shares = (spent) =>
    [...spent].map(([name, time]) => ({ name, share: time / busy })).toSorted((a, b) => b.share - a.share);
  return { parts: shares(parts), functions: shares(functions) };
}
