// A process with some of the clients: one alone would not have the hands for all of them. Does what it is told over IPC, one thing after the other.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { ChaosClient, LONGEST_MS } from './clients.mjs';

/** A client whose stream broke time and again asks for it ever more slowly, and each attempt may take its time; but it hears in the end. */
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

  /** Whether everything that was asked has ended in time. */
  async stop() {
    isOver = true;
    return Promise.race([Promise.all(running).then(() => true), wait(2 * LONGEST_MS + 5000).then(() => false)]);
  },

  /** What came of it. Changes are waited for as long as a client may take to hear of one. */
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

// What is left by then are timers of waits that nobody waits for.
process.on('disconnect', () => process.exit());
