import { createAnswer } from './answer.mjs';

/** Two ends that pass objects through two turns of the microtask queue and a map of pending calls. Nothing is checked or serialised. */
export function start(options) {
  const answerTo = createAnswer(options);
  const pending = new Map();
  let nextId = 1;
  const call = (name, args) =>
    new Promise((resolve) => {
      const id = nextId++;
      pending.set(id, resolve);
      const message = { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } };
      queueMicrotask(() => {
        const answer = answerTo(message);
        queueMicrotask(() => {
          const settle = pending.get(answer.id);
          pending.delete(answer.id);
          settle(answer.result);
        });
      });
    });
  return { call };
}
