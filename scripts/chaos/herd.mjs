// A process with some of the clients: one process could not drive all of them. Runs the commands it receives over IPC, one after the other.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { ChaosClient, LONGEST_MS } from './clients.mjs';

/** Milliseconds until a client has heard of a change: one whose stream broke repeatedly retries ever more slowly. */
const HEARD_MS = 90_000;

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const lag = monitorEventLoopDelay({ resolution: 20 });
lag.enable();
let clients = [];
let running = [];
let isOver = false;

const DO = {
  async connect({ url, family, from, count }) {
    clients = Array.from({ length: count }, (_, index) => new ChaosClient(family, from + index, url));
    await Promise.all(clients.map((client) => client.connect()));
  },

  async run() {
    running = clients.map((client) => client.run(() => isOver));
  },

  /** Whether every request has ended in time. */
  async stop() {
    isOver = true;
    return Promise.race([Promise.all(running).then(() => true), wait(2 * LONGEST_MS + 5000).then(() => false)]);
  },

  /** The results. Waits for changes as long as a client may take to receive one. */
  async report({ changes }) {
    const last = changes.at(-1);
    const hasHeard = (client, since) => client.heard.some((at) => at >= since);
    const isHeard = () => last === undefined || clients.every((client) => hasHeard(client, last));
    while (!isHeard() && Date.now() < last + HEARD_MS) await wait(100);
    return {
      clients: clients.map(({ name, counts, problems, events, slowest, violations }) => ({
        name,
        counts,
        problems,
        events,
        slowest,
        violations,
      })),
      deaf: changes.map((since) => clients.filter((client) => !hasHeard(client, since)).map(({ name }) => name)),
      lagMs: Math.round(lag.max / 1e6),
    };
  },

  async close() {
    await Promise.all(clients.map((client) => Promise.race([client.close(), wait(3000)])));
  },
};

process.on('message', ({ what, ...rest }) => {
  DO[what](rest)
    .then(
      (value) => process.send({ what, value }),
      (error) => process.send({ what, error: error.message }),
    )
    .finally(() => what === 'close' && process.disconnect());
});

// Only timers of abandoned waits are left by then.
process.on('disconnect', () => process.exit());
