import { randomUUID } from 'node:crypto';

/** Tasks by hand, of both generations: the call is carried out at once, and its result is kept in a map. */
export class RawTasks {
  #results = new Map();
  #call;

  /** @param {(id: unknown, params: object) => { result?: object }} call carries out a call */
  constructor(call) {
    this.#call = call;
  }

  answer({ id, method, params }) {
    if (method === 'tools/call') return this.#begin(id, params);
    const result = this.#results.get(params.taskId);
    if (method === 'tasks/result') return { jsonrpc: '2.0', id, result };
    return {
      jsonrpc: '2.0',
      id,
      result: { resultType: 'complete', taskId: params.taskId, status: 'completed', result },
    };
  }

  #begin(id, params) {
    const taskId = randomUUID();
    this.#results.set(taskId, this.#call(id, params).result);
    const createdAt = new Date().toISOString();
    const task = { taskId, status: 'working', createdAt, lastUpdatedAt: createdAt, ttl: 60_000 };
    return { jsonrpc: '2.0', id, result: params.task === undefined ? { resultType: 'task', ...task } : { task } };
  }
}
