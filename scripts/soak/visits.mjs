// What visitors do: each visit is one client, from connecting to leaving, in order or in the middle of something.
import { Client } from 'crosspoint/client';

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A source of numbers from 0 to 1 that gives the same ones for the same seed. */
export function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function said(client, name, tag, options) {
  const { content } = await client.callTool({ name, arguments: { tag } }, options);
  if (content[0]?.text !== tag) throw new Error(`${name} answered ${JSON.stringify(content)} in place of ${tag}.`);
}

/** Things to do in a visit, by name. Each throws when something is not as it should be. */
const DEEDS = {
  echo: (client, tag) => said(client, 'echo', tag),
  async many(client, tag) {
    await Promise.all(Array.from({ length: 8 }, (_, at) => said(client, 'echo', `${tag}-${at}`)));
  },
  async work(client, tag) {
    let steps = 0;
    await said(client, 'work', tag, { onprogress: () => (steps += 1) });
    if (steps === 0) throw new Error('work told no progress.');
  },
  ask: (client, tag) => said(client, 'ask', tag),
  job: (client, tag) => said(client, 'job', tag),
  async cancel(client, tag) {
    const controller = new AbortController();
    const call = said(client, 'sleep', tag, { signal: controller.signal });
    setTimeout(() => controller.abort(), 30);
    if ((await call.catch(() => 'cancelled')) !== 'cancelled')
      throw new Error('A call that was cancelled gave a result.');
  },
  async watch(client) {
    const told = [];
    const watching = await client.watch({ uris: ['soak://state'] }, { onchange: (change) => told.push(change) });
    for (let tries = 0; told.length === 0 && tries < 40; tries += 1) {
      await client.callTool({ name: 'change' });
      await wait(50);
    }
    await watching.close();
    if (told.length === 0) throw new Error('A change was not told.');
  },
  async read(client) {
    const { contents } = await client.readResource({ uri: 'soak://state' });
    if (contents[0]?.text !== 'steady') throw new Error('The resource was read as something else.');
  },
};
const NAMES = Object.keys(DEEDS);

/** A client that stays for the whole run, and measures. */
export async function openProbe(url, family) {
  const client = new Client({ name: 'probe', version: '1.0.0' }, { revisions: family });
  await client.connect(url);
  return {
    /** Milliseconds of each of some echoes, one after the other. */
    async echoes(count) {
      const times = [];
      for (let at = 0; at < count; at += 1) {
        const since = performance.now();
        await said(client, 'echo', `probe-${at}`);
        times.push(performance.now() - since);
      }
      return times;
    },
    close: () => client.close(),
  };
}

/**
 * One visit. Resolves with whether it went to its end. `mayFail`: the server may be restarted meanwhile, so a lost call is no fault.
 * @param {{ url: string, family: 'handshake' | 'per-request', random: () => number, mayFail: boolean, tag: string }} visit
 */
export async function visit({ url, family, random, mayFail, tag }) {
  const client = new Client(
    { name: 'visitor', version: '1.0.0' },
    { revisions: family, capabilities: { elicitation: { form: {} } }, timeouts: { connectMs: 15_000, idleMs: 15_000 } },
  );
  // Every question is answered with its own message.
  client.setRequestHandler('elicitation/create', ({ params }) => ({
    action: 'accept',
    content: { who: params.message },
  }));
  try {
    await client.connect(url);
    for (let count = 1 + Math.floor(random() * 4); count > 0; count -= 1) {
      const name = NAMES[Math.floor(random() * NAMES.length)];
      await DEEDS[name](client, `${tag}-${name}-${count}`).catch((error) => {
        throw new Error(`${name}: ${error.message}`, { cause: error });
      });
    }
    // One in five leaves in the middle of a call.
    if (random() < 0.2) void client.callTool({ name: 'sleep', arguments: { tag } }).catch(() => {});
    return true;
  } catch (error) {
    if (mayFail) return false;
    throw error;
  } finally {
    await client.close();
  }
}
