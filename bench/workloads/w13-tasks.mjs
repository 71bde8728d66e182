import { CONVERSATION_METRICS, sampleOverHttp, sampleOverStdio } from './conversations.mjs';
import { timesRow } from './targets.mjs';
import { callAdd } from './wire.mjs';

const EXTENSION = 'io.modelcontextprotocol/tasks';
const MOST_LOOKS = 50;

function check(result) {
  if (result?.structuredContent?.sum !== 5) throw new Error(`Not five: ${JSON.stringify(result).slice(0, 300)}`);
}

/** The older generation: the client asks for a task, and then for its result. */
async function takeResult(ask) {
  const { task } = await ask('tools/call', { ...callAdd.params, task: { ttl: 60_000 } });
  check(await ask('tasks/result', { taskId: task.taskId }));
}

/** The newer generation: the server makes the call a task, and the client polls until it has ended. */
async function lookForResult(ask) {
  const { taskId } = await ask('tools/call', callAdd.params);
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    const { status, result } = await ask('tasks/get', { taskId });
    if (status === 'completed') return check(result);
  }
  throw new Error('A task did not end.');
}

const variant = (subject) => ({ label: subject, subject, kit: 'task' });

export const w13a = {
  id: 'w13a',
  title: 'a call as a task, and its result: stdio, 2025-11-25 wire',
  note: 'Two requests. Subjects that are not listed do not offer tasks of this generation.',
  metrics: CONVERSATION_METRICS,
  reference: 'raw',
  sample: (one, settings) =>
    sampleOverStdio(one, settings, { capabilities: {}, conversation: takeResult, answerTo: () => ({}) }),
  variants: ['raw', 'crosspoint', 'official-v1'].map(variant),
  targets: [timesRow('crosspoint', 'rate', 1, 'official-v1')],
};

export const w13b = {
  id: 'w13b',
  title: 'a call as a task, and its result: HTTP, 2026-07-28 wire with the extension',
  note: 'Two requests, or more where a task has not ended at the first look. The versions of the peers measured here do not offer the extension.',
  metrics: CONVERSATION_METRICS,
  reference: 'raw',
  sample: (one, settings) =>
    sampleOverHttp(one, settings, { capabilities: { extensions: { [EXTENSION]: {} } }, conversation: lookForResult }),
  variants: ['raw', 'crosspoint'].map(variant),
  targets: [],
};
