import { describe, expect, it } from 'vitest';
import { stepsOf } from './meter.ts';
import type { ServerContext } from '../../src/server/calls/context.ts';
import { McpServer } from '../../src/server/index.ts';
import { Catalogue } from '../../src/server/offering/catalogue.ts';
import { answerList } from '../../src/server/offering/lists.ts';
import { compileResource } from '../../src/server/offering/compile-entries.ts';
import { ResourceTemplate } from '../../src/server/offering/resource-template.ts';
import { KeyTree } from '../../src/stores/key-tree.ts';

const SMALL = 200;
const DOUBLINGS = 3;
/** Beyond this, a doubling costs more than the double and the logarithm that searching by halves adds. */
const PER_DOUBLING = 2.2;

/** Nothing in a list looks at its caller, but for the functions below. */
const nobody = {} as ServerContext;

function resourcesOf(count: number, visible?: () => boolean): Catalogue {
  const catalogue = new Catalogue({ hints: {}, pageSize: 10, ranksCompletions: true }, () => undefined);
  for (let at = 0; at < count; at += 1) {
    const config = visible === undefined ? {} : { visible };
    catalogue.add(
      'resources',
      catalogue.resources,
      { key: `bench://${at}`, config, callback: () => undefined },
      (one) => compileResource(`r${at}`, one.key, one.config, { callback: () => undefined, placement: one }),
    );
  }
  return catalogue;
}

/** Reads all pages of a list and returns the number of items. */
function readAll(catalogue: Catalogue): number {
  let items = 0;
  let cursor: unknown;
  do {
    const params = cursor === undefined ? {} : { cursor };
    const page = answerList(catalogue.registry, { method: 'resources/list', params } as never, nobody) as {
      resources: unknown[];
      nextCursor?: string;
    };
    items += page.resources.length;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return items;
}

function register(server: McpServer, count: number, add: (server: McpServer, at: number) => void): void {
  for (let at = 0; at < count; at += 1) add(server, at);
}

const growing = (add: (server: McpServer, at: number) => void) => (count: number) => {
  const server = new McpServer({ name: 'many', version: '1.0.0' });
  return () => register(server, count, add);
};
const text = { contents: [{ uri: 'bench://1', text: 'text' }] };

/** Work on so many items: the first function prepares it, the second one is counted. */
const WORK: Readonly<Record<string, (count: number) => () => unknown>> = {
  'registering tools': growing((server, at) => server.registerTool(`t${at}`, {}, () => ({ content: [] }))),
  'registering resources': growing((server, at) => server.registerResource(`r${at}`, `bench://${at}`, {}, () => text)),
  'registering prompts': growing((server, at) => server.registerPrompt(`p${at}`, {}, () => ({ messages: [] }))),
  'registering templates': growing((server, at) =>
    server.registerResource(`r${at}`, new ResourceTemplate(`bench://${at}/{id}`, { list: undefined }), {}, () => text),
  ),
  'the pages of a list, read for the first time': (count) => {
    const catalogue = resourcesOf(count);
    return () => readAll(catalogue);
  },
  'the pages of a list, read again': (count) => {
    const catalogue = resourcesOf(count);
    readAll(catalogue);
    return () => readAll(catalogue);
  },
  'the pages of a list that depends on the caller': (count) => {
    const catalogue = resourcesOf(count, () => true);
    return () => readAll(catalogue);
  },
  'the pages of kept keys, with one added before each': (count) => {
    const tree = new KeyTree();
    tree.covers('task:l:owner:');
    const key = (at: number): string => `task:l:owner:${String(at).padStart(9, '0')}`;
    for (let at = 0; at < count; at += 1) tree.add(key(at));
    return () => {
      let after: string | undefined;
      for (let page = 0; page < count / 10; page += 1) {
        tree.add(key(count + page));
        after = tree.page('task:l:owner:', { after, limit: 10 }, () => true)?.at(-1);
      }
      return after;
    };
  },
};

describe('the work grows no faster than the number', () => {
  it.each(Object.entries(WORK))('%s', (_what, prepare) => {
    const steps = (count: number): number => stepsOf(prepare(count));
    // Once without being counted: what is made on first use belongs to no size.
    prepare(SMALL)();
    expect(steps(SMALL * 2 ** DOUBLINGS) / steps(SMALL)).toBeLessThan(PER_DOUBLING ** DOUBLINGS);
  });

  it('and a page of a list that depends on the caller asks for its entries and the next one alone', () => {
    let asked = 0;
    const catalogue = resourcesOf(1000, () => (asked += 1) > 0);
    void answerList(catalogue.registry, { method: 'resources/list', params: {} } as never, nobody);
    expect(asked).toBe(11);
    asked = 0;
    expect(readAll(catalogue)).toBe(1000);
    expect(asked).toBeLessThanOrEqual(1100);
  });

  it('and work that looks at everything for each item is found out', () => {
    const quadratic = (count: number): number =>
      stepsOf(() => {
        const all: number[] = [];
        for (let at = 0; at < count; at += 1) all.splice(0, 0, at);
      });
    expect(quadratic(SMALL * 2 ** DOUBLINGS) / quadratic(SMALL)).toBeGreaterThan(PER_DOUBLING ** DOUBLINGS);
  });
});
