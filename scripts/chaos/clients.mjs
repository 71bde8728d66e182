// Clients that call, ask, and listen, and that know what must come back.
import { Client, StreamableHTTPClientTransport } from 'crosspoint/client';
import { watchingFetch } from './events.mjs';

/** Milliseconds by which every task has ended, with any outcome and on any node. */
const TASK_MS = 60_000;
/** Milliseconds within which every request ends, with any outcome. */
export const LONGEST_MS = 30_000;

const REVISIONS = { handshake: ['2025-11-25', '2025-11-25', '2025-11-25', '2025-06-18'], stateless: ['2026-07-28'] };
const TYPED = new Set(['ProtocolError', 'TransportError']);
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export class ChaosClient {
  name;
  counts = { results: 0, errors: {}, changes: 0, answered: 0, tasks: {} };
  problems = {};
  /** Times at which a change was received. */
  heard = [];
  violations = [];
  slowest = 0;
  #revision;
  #url;
  #client;
  #watch;
  #events;
  #calls = 0;

  constructor(family, index, url) {
    this.#url = url;
    this.name = `${family}-${index}`;
    this.#revision = REVISIONS[family][index % REVISIONS[family].length];
    this.#events = watchingFetch((violation) => this.violations.push(`${this.name}: ${violation}`));
  }

  get events() {
    return this.#events.count();
  }

  async connect() {
    for (const end = Date.now() + LONGEST_MS; ;) {
      try {
        await this.#connectOnce();
        return;
      } catch (error) {
        await this.#client?.close().catch(() => {});
        if (Date.now() > end) throw error;
        await wait(200 + Math.random() * 300);
      }
    }
  }

  async #connectOnce() {
    const client = new Client(
      { name: this.name, version: '1.0.0' },
      {
        capabilities: { elicitation: { form: {} } },
        revisions: [this.#revision],
        timeouts: { idleMs: LONGEST_MS },
        limits: {},
        onproblem: (problem) => {
          const what = `${problem.code ?? problem.kind ?? problem.name} ${problem.details?.status ?? ''}: ${problem.message.slice(0, 90)}`;
          this.problems[what] = (this.problems[what] ?? 0) + 1;
        },
      },
    );
    this.#client = client;
    client.setRequestHandler('elicitation/create', ({ params }) => {
      if (!params.message.startsWith(`${this.name}/`))
        this.violations.push(`${this.name} was asked ${params.message}.`);
      this.counts.answered += 1;
      return { action: 'accept', content: { who: `${params.message} by ${this.name}` } };
    });
    const reconnectionOptions = { initialReconnectionDelay: 100, maxReconnectionDelay: 2000, maxRetries: 30 };
    await client.connect(
      new StreamableHTTPClientTransport(this.#url, { fetch: this.#events.fetch, reconnectionOptions }),
    );
    this.#watch = await client.watch(
      { tools: true },
      {
        onchange: () => {
          this.counts.changes += 1;
          this.heard.push(Date.now());
        },
      },
    );
  }

  /** Calls until it is told to stop. */
  async run(isOver) {
    await wait(Math.random() * 1000);
    while (!isOver()) {
      const kind = Math.random();
      if (kind < 0.45) await this.#call('echo', (tag) => tag);
      else if (kind < 0.75) await this.#call('work', (tag) => tag);
      else if (kind < 0.85) await this.#task();
      else await this.#call('ask', (tag) => `${tag} by ${this.name}`);
      await wait(500 + Math.random() * 1500);
    }
  }

  async #call(tool, expected) {
    const tag = `${this.name}/${(this.#calls += 1)}`;
    const progress = [];
    const since = Date.now();
    let failure;
    try {
      const result = await this.#client.callTool({ name: tool, arguments: { tag } }, undefined, {
        onprogress: ({ progress: step }) => progress.push(step),
      });
      this.counts.results += 1;
      const said = result.content[0]?.text;
      if (result.isError || said !== expected(tag)) this.violations.push(`${tag} (${tool}) was answered ${said}.`);
      if (tool === 'work' && progress.join() !== '1,2,3,4,5')
        this.violations.push(`${tag} reported ${progress.join()}.`);
    } catch (error) {
      failure = error;
      this.#failed(tag, error);
      if (progress.some((step, index) => step !== index + 1))
        this.violations.push(`${tag} reported ${progress.join()} before it failed.`);
    }
    const took = Date.now() - since;
    this.slowest = Math.max(this.slowest, took);
    if (took > LONGEST_MS) this.violations.push(`${tag} (${tool}) took ${took} ms: ${failure?.message ?? 'a result'}`);
  }

  /** Runs a task and checks its outcome, however often polling fails. */
  async #task() {
    const tag = `${this.name}/${(this.#calls += 1)}`;
    let handle;
    try {
      handle = await this.#client.startTask({ name: 'job', arguments: { tag } });
    } catch (error) {
      return this.#failed(tag, error);
    }
    for (const end = Date.now() + TASK_MS; ; await wait(300)) {
      const { result, error } = await handle.wait().then(
        (value) => ({ result: value }),
        (thrown) => ({ error: thrown }),
      );
      const status = result ? 'completed' : (await handle.status().catch(() => undefined))?.status;
      if (result && result.content[0]?.text !== `${tag} one-two-three`)
        this.violations.push(`The task ${tag} came to ${result.content[0]?.text}.`);
      if (handle.taskId === undefined && error) return this.#failed(tag, error);
      if (result || status === 'failed') {
        const how = handle.taskId === undefined ? 'a call' : status;
        this.counts.tasks[how] = (this.counts.tasks[how] ?? 0) + 1;
        return;
      }
      if (Date.now() > end) {
        this.violations.push(`The task ${tag} is still ${status ?? `unknown: ${error?.message}`}.`);
        return;
      }
    }
  }

  #failed(tag, error) {
    if (!TYPED.has(error?.name) || error.code === 'idle-timeout')
      this.violations.push(`${tag} failed with ${error?.name} ${error?.code}: ${error?.message}`);
    const isUnknown = error?.data?.outcome === 'unknown';
    const kind = isUnknown ? 'outcome unknown' : `${error?.name} ${error?.kind ?? error?.code}`;
    const { errors } = this.counts;
    errors[kind] = (errors[kind] ?? 0) + 1;
  }

  async close() {
    await this.#watch?.close().catch(() => {});
    await this.#client?.close().catch(() => {});
  }
}
