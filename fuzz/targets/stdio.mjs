/** A server in a process of its own, spoken to in raw lines. */
import { fileURLToPath } from 'node:url';
import { fault, signed, verdict, within } from '../engine/verdict.mjs';
import { hostileString } from '../inputs/hostile-values.mjs';
import { INITIALIZED, NEWEST, REVISIONS, envelope, goodMessage, initialize } from '../inputs/messages.mjs';
import { changedText, cuts, hostileJson, mutated, split } from '../inputs/mutate.mjs';
import { textOf } from '../inputs/text.mjs';
import { LineChild } from '../wires/line-child.mjs';
import { internalFaults } from './http-rules.mjs';

const PROGRAM = fileURLToPath(new URL('../programs/stdio-server.mjs', import.meta.url));
const ANSWER_MS = 10_000;
/** Cases in one conversation; then a new process begins. */
const CONVERSATION = 200;

export const target = {
  name: 'stdio',
  about: 'a server over stdio in a process of its own',
  async start() {
    const state = { child: undefined, cases: 0, probes: 0, recent: [] };
    return { generate, vary, run: (input) => run(state, input), stop: () => state.child?.kill() };
  },
};

function generate(random, number) {
  const mark = `mark-${number.toString(36)}-0`;
  const line = (id) => {
    const revision = random.pick(REVISIONS);
    const message = goodMessage(random, revision, { mark, id: `${mark} ${id}` });
    const kind = random.int(0, 9);
    if (kind === 0) return hostileString(random).replaceAll('\n', ' ');
    if (kind === 1) return JSON.stringify(random.list(0, 4, () => message));
    if (kind === 2) return JSON.stringify(initialize(revision));
    return hostileJson(random, kind <= 6 ? mutated(random, message) : message).replaceAll('\n', ' ');
  };
  const revision = random.pick(REVISIONS);
  return {
    revision,
    lines: random.list(1, 8, line),
    cut: cuts(random, 800),
    end: random.chance(0.01) ? random.pick(['end', 'half']) : 'none',
  };
}

const vary = (random, input) => ({
  ...input,
  lines: input.lines.map((line) => (random.chance(0.3) ? changedText(random, textOf(line)) : line)),
});

async function opened(state, revision) {
  if (state.child !== undefined && state.child.exit === undefined && state.cases < CONVERSATION) return state.child;
  state.child?.kill();
  state.cases = 0;
  const child = new LineChild(PROGRAM);
  state.child = child;
  if (revision !== NEWEST) {
    child.write(`${JSON.stringify(initialize(revision))}\n${JSON.stringify(INITIALIZED)}\n`);
    await child.until(({ id }) => id === 'init', ANSWER_MS);
  }
  return child;
}

async function run(state, { revision, lines, cut, end }) {
  const child = await opened(state, revision);
  state.cases += 1;
  child.messages.length = 0;
  const sent = lines.map((line) => textOf(line));
  const text = `${sent.join('\n')}\n`;
  for (const part of split(Buffer.from(text), cut ?? [])) {
    child.write(part);
    if (cut?.length > 0) await new Promise((resolve) => setImmediate(resolve));
  }
  if (end === 'end' || end === 'half') return ending(child, end);
  const probe = `probe ${(state.probes += 1)}`;
  const params = { name: 'mark', arguments: { tag: probe }, _meta: envelope() };
  child.write(`${JSON.stringify({ jsonrpc: '2.0', id: probe, method: 'tools/call', params })}\n`);
  const answer = await child.until(({ id }) => id === probe, ANSWER_MS);
  const faults = [];
  if (child.exit !== undefined)
    faults.push(fault('crash', `the server ended with ${child.exit}: ${child.stderr.slice(-600)}`));
  else if (answer === undefined) faults.push(fault('hang', `the probe was not answered in ${ANSWER_MS} ms`));
  else if (answer.result?.content?.[0]?.text !== probe)
    faults.push(fault('broken-rule', `the probe was answered with ${JSON.stringify(answer).slice(0, 300)}`));
  if (faults.some(({ kind }) => kind !== 'broken-rule')) child.kill();
  // A request of an earlier case may be answered late.
  state.recent = [...state.recent.slice(-4), text];
  faults.push(...messageFaults(child.messages, state.recent.join('')));
  return verdict(signed(child.messages.map(({ error, method }) => error?.code ?? method ?? 'result')), faults, {
    answers: child.messages.length,
  });
}

/** Answers have ids that were sent; no line is broken; no error occurred inside. */
function messageFaults(messages, text) {
  const faults = [];
  for (const message of messages) {
    if (message.isBroken) faults.push(fault('broken-rule', `a line that is no JSON: ${message.line.slice(0, 200)}`));
    faults.push(...internalFaults(message));
    const { id, method } = message;
    const isKnown =
      id === undefined ||
      id === null ||
      method !== undefined ||
      String(id).startsWith('probe ') ||
      String(id).startsWith('mark-');
    if (!isKnown && !text.includes(JSON.stringify(id).slice(1, -1)) && !text.includes('\\u') && typeof id === 'string')
      faults.push(
        fault('wrong-recipient', `an answer has the id ${JSON.stringify(id).slice(0, 100)}, which was not sent`),
      );
  }
  return faults;
}

/** The end of the input, also in the middle of a line, ends the server in order. */
async function ending(child, how) {
  if (how === 'half') child.write('{"jsonrpc":"2.0","id":1,"me');
  child.end();
  const exit = await within(child.exited, ANSWER_MS, 'late');
  if (exit === 'late') child.kill();
  if (exit === 0) return verdict(how);
  return verdict(how, [
    fault(
      exit === 'late' ? 'hang' : 'crash',
      `the input ended, and the server with ${exit}: ${child.stderr.slice(-600)}`,
    ),
  ]);
}
