import { Ring } from '../../measure/ring.mjs';
import { createAnswer } from './answer.mjs';

/**
 * Two ends that pass objects through two turns of the microtask queue and a ring of pending calls. Nothing is checked or serialised. A tool that waits takes a
 * turn of the event loop in place of the first.
 */
export function start(options) {
  const answerTo = createAnswer(options);
  const pending = new Ring();
  const soon = options.kit === 'later' ? setImmediate : queueMicrotask;
  const call = (name, args) =>
    new Promise((resolve) => {
      const id = pending.add(resolve);
      const message = { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } };
      soon(() => {
        const answer = answerTo(message);
        queueMicrotask(() => pending.take(answer.id)(answer.result));
      });
    });
  return { call };
}
