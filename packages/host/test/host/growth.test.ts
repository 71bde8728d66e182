import { McpServer, text } from 'crosspoint/server';
import { memoryStore, type Store } from 'crosspoint/stores';
import { afterEach, expect, it } from 'vitest';
import { Catalogue } from '../../src/catalogue/catalogue.ts';
import { promptCommands } from '../../src/context/prompt-commands.ts';
import { closeHosts, inProcess, openHost } from './opened.ts';

afterEach(closeHosts);

/** A store that counts its operations and the characters that pass through it. */
function counting(): { readonly store: Store; readonly counts: { operations: number; characters: number } } {
  const counts = { operations: 0, characters: 0 };
  const inner = memoryStore();
  const store = new Proxy(inner, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return async (...args: unknown[]): Promise<unknown> => {
        counts.operations += 1;
        const result: unknown = await Reflect.apply(member, target, args);
        counts.characters += JSON.stringify([args, result ?? null]).length;
        return result;
      };
    },
  });
  return { store, counts };
}

/** The store's work for ten calls on a host with so many tools, and for an approval of each. */
async function workOfCalls(tools: number): Promise<{ operations: number; characters: number }> {
  const { store, counts } = counting();
  const server = new McpServer({ name: 'many', version: '1.0.0' });
  for (let at = 0; at < tools; at += 1) server.registerTool(`tool_${at + 100_000}`, {}, () => text('done'));
  const host = openHost({ store, servers: { many: inProcess(server) } });
  host.inbox.watch((change) => {
    if (change.type === 'asked') host.inbox.answer(change.item.id, { action: 'allow', for: 'always' });
  });
  await host.settled();
  await host.audit.flush();
  Object.assign(counts, { operations: 0, characters: 0 });
  for (let at = 0; at < 10; at += 1) {
    await host.callTool(`many__tool_${100_000 + ((at * 7) % tools)}`);
    await host.audit.flush();
  }
  const work = { ...counts };
  await host.close();
  return work;
}

it('a call and its approval take the same work of the store with 10 tools as with 2,000', async () => {
  const [few, many] = [await workOfCalls(10), await workOfCalls(2000)];
  expect(many.operations).toBe(few.operations);
  expect(many.characters).toBeLessThan(few.characters * 1.1);
});

it('a change of one server reads no tool of another one', () => {
  const catalogue = new Catalogue();
  let reads = 0;
  const counted = (name: string): { name: string; inputSchema: { type: 'object' } } =>
    Object.defineProperty({ name, inputSchema: { type: 'object' } }, 'name', {
      get: () => {
        reads += 1;
        return name;
      },
    });
  const offer = (count: number) => ({
    tools: Array.from({ length: count }, (_, at) => counted(`t${at}`)),
    prompts: [],
    resources: [],
    templates: [],
  });
  catalogue.set('large', offer(10_000));
  reads = 0;
  catalogue.set('small', offer(10));
  expect(catalogue.tools()).toHaveLength(10_010);
  const afterChange = reads;
  expect(afterChange).toBeLessThanOrEqual(50);
  for (let at = 0; at < 10_000; at += 1) catalogue.tool(`large__t${at}`);
  expect(reads).toBe(afterChange);
  expect(catalogue.tools()).toBe(catalogue.tools());
});

it('prompts as commands are looked at once each', () => {
  let reads = 0;
  const prompts = Array.from({ length: 5000 }, (_, at) => ({
    server: 's',
    prompt: { name: `p${at}` },
    get name() {
      reads += 1;
      return `s__p${at}`;
    },
  }));
  expect(promptCommands(prompts, 's__p')).toHaveLength(5000);
  expect(reads).toBeLessThanOrEqual(5000 * 2);
});
