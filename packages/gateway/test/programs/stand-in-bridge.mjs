// The program around a bridge that only passes on tools: enough to show what the program does.
import { runBridge } from '@crosspoint/gateway/program';
import { childFault } from '@crosspoint/gateway/stdio';
import { Client } from 'crosspoint/client';
import { exchange } from 'crosspoint/client/relaying';
import { Server } from 'crosspoint/server';

class StandIn extends Server {
  #clients = new Map();
  #upstream;
  constructor(upstream, settings) {
    super({ name: 'stand-in', version: '1.0.0' }, { capabilities: { tools: {} } });
    this.#upstream = upstream;
    if (process.env['SHOW_SETTINGS']) {
      const shown = { ...settings, keys: settings.keys?.length, store: undefined };
      process.stderr.write(`settings ${JSON.stringify(shown)}\n`);
    }
    if (process.env['CRASH_AFTER_MS'])
      setTimeout(() => {
        throw new Error('A mistake of the program.');
      }, Number(process.env['CRASH_AFTER_MS']));
    for (const method of ['tools/list', 'tools/call'])
      this.setRequestHandler(method, (request, ctx) => this.#pass(request, ctx));
  }
  async #pass({ method, params }, ctx) {
    const principal = ctx.authInfo?.extra?.['sub'];
    const key = principal ?? '';
    if (!this.#clients.has(key)) this.#clients.set(key, this.#open(principal, key));
    const client = await this.#clients.get(key);
    try {
      const outcome = await exchange(client, { method, params });
      return outcome.result;
    } catch (error) {
      throw childFault(error) ?? error;
    }
  }
  async #open(principal, key) {
    const client = new Client({ name: 'stand-in', version: '1.0.0' });
    client.onclose = () => this.#clients.delete(key);
    try {
      await this.#upstream.connect(
        client,
        { principal, client: undefined, capabilities: {} },
        new AbortController().signal,
      );
    } catch (error) {
      this.#clients.delete(key);
      throw error;
    }
    return client;
  }
  async close() {
    await super.close();
    for (const client of this.#clients.values()) await (await client).close();
  }
}

process.exit(
  await runBridge(process.argv.slice(2), { bridge: (upstream, settings) => new StandIn(upstream, settings) }),
);
