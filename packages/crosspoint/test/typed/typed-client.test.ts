import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import * as z3 from 'zod/v3';
import { Client, ToolCallError, type TypedClient } from '../../src/client/index.ts';
import type { UnstructuredResult } from '../../src/protocol/server-surface.ts';
import { revisions } from '../../src/revisions/index.ts';
import { defineResource, defineServer, defineTool, McpServer, text } from '../../src/server/index.ts';
import { connectLinked } from '../../src/testing/index.ts';
import { calculator } from './calculator.ts';
import { fromJsonSchema } from '../../src/schema/index.ts';

type Calculator = TypedClient<typeof calculator>;

async function linked(revision?: string): Promise<{ calc: Calculator; close: () => Promise<void> }> {
  const { client, close } = await connectLinked(calculator, revision === undefined ? {} : { revision });
  return { calc: client.as<typeof calculator>(), close };
}

describe('a typed client', () => {
  it.each(revisions.map(({ id }) => id))(
    'gives structured results, also where %s has no words for them',
    async (revision) => {
      const { calc, close } = await linked(revision);
      expect(await calc.call('add', { a: 2, b: 3 })).toEqual({ sum: 5 });
      expect(await calc.call('add', { a: 2 })).toEqual({ sum: 3 });
      expect(await calc.call('halves', { n: 8 })).toEqual([4, 4]);
      await close();
    },
  );

  it('gives the whole result of a tool without an output schema, and takes no arguments where there are none', async () => {
    const { calc, close } = await linked();
    const { content } = await calc.call('hello');
    expect(content).toEqual([{ type: 'text', text: 'Hello, linked-client' }]);
    expect((await calc.call('shout')).content).toEqual([{ type: 'text', text: 'HEY' }]);
    expect((await calc.call('shout', { what: 'ho' })).content).toEqual([{ type: 'text', text: 'HO' }]);
    await close();
  });

  it('rejects with what the tool told the model when it failed, and with all of its result', async () => {
    const { calc, close } = await linked();
    const error = await calc.call('divide', { a: 1, b: 0 }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ToolCallError);
    expect(error).toMatchObject({
      name: 'ToolCallError',
      tool: 'divide',
      message: 'The tool "divide" failed: nothing can be divided by zero',
      result: { isError: true },
    });
    expect((await calc.client.callTool({ name: 'divide', arguments: { a: 1, b: 0 } })).isError).toBe(true);
    await close();
  });

  it('gets prompts and reads resources, fixed ones and those of templates', async () => {
    const { calc, close } = await linked();
    const greeting = await calc.prompt('greet', { who: 'Ada', mood: 'glad' });
    expect(greeting.messages[0]?.content).toMatchObject({ text: 'Greet Ada, glad' });
    expect((await calc.prompt('plain')).messages[0]?.content).toMatchObject({ text: 'Go on' });
    expect((await calc.read('calc://manual')).contents[0]).toMatchObject({ text: 'How to add' });
    expect((await calc.read('calc://constants/pi?digits=4')).contents[0]).toMatchObject({ text: 'pi 4' });
    await close();
  });

  it('passes options on to the call', async () => {
    const { calc, close } = await linked();
    const signal = AbortSignal.abort(new Error('not now'));
    await expect(calc.call('add', { a: 1, b: 2 }, { signal })).rejects.toThrow('not now');
    await close();
  });

  it('is the same client, with fewer words', async () => {
    const client = new Client({ name: 'c', version: '1' });
    expect(client.as<typeof calculator>().client).toBe(client);
  });
});

describe('a defined server', () => {
  it('is an McpServer with what was defined, and takes more', async () => {
    expect(calculator).toBeInstanceOf(McpServer);
    const server = defineServer({ info: { name: 's', version: '1' }, tools: [defineTool('one', {}, () => text('1'))] });
    server.registerTool('two', {}, () => text('2'));
    const { client, close } = await connectLinked(server);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['one', 'two']);
    await close();
  });

  it('refuses two tools of one name, as every server does', () => {
    const one = defineTool('one', {}, () => text('1'));
    expect(() => defineServer({ info: { name: 's', version: '1' }, tools: [one, one] })).toThrow(/one/);
  });

  it('can be one of many that share a definition', async () => {
    const one = defineTool('one', { outputSchema: z.object({ one: z.literal(1) }) }, () => ({
      structuredContent: { one: 1 },
    }));
    const servers = ['a', 'b'].map((name) => defineServer({ info: { name, version: '1' }, tools: [one] }));
    for (const server of servers) {
      const { client, close } = await connectLinked(server);
      expect(await client.as<typeof server>().call('one')).toEqual({ one: 1 });
      await close();
    }
  });
});

describe('the types', () => {
  it('know names, arguments and results', () => {
    const checked = async (calc: Calculator): Promise<void> => {
      expectTypeOf(await calc.call('add', { a: 1 })).toEqualTypeOf<{ sum: number }>();
      expectTypeOf(await calc.call('halves', { n: 1 })).toEqualTypeOf<number[]>();
      expectTypeOf(await calc.call('hello')).toEqualTypeOf<UnstructuredResult>();
      // @ts-expect-error There is no such tool.
      await calc.call('subtract', { a: 1, b: 2 });
      // @ts-expect-error `a` is missing.
      await calc.call('add', {});
      // @ts-expect-error Arguments are missing.
      await calc.call('add');
      // @ts-expect-error `a` is a number.
      await calc.call('add', { a: '1', b: 2 });
      // @ts-expect-error There is no `c`.
      await calc.call('add', { a: 1, c: 2 });
      // @ts-expect-error It takes no arguments.
      await calc.call('hello', { a: 1 });
      // @ts-expect-error The result has no `product`.
      void (await calc.call('add', { a: 1 })).product;
      // @ts-expect-error There is no such prompt.
      await calc.prompt('insult', { who: 'you' });
      // @ts-expect-error `who` is missing.
      await calc.prompt('greet', { mood: 'sad' });
      // @ts-expect-error There is no such mood.
      await calc.prompt('greet', { who: 'you', mood: 'bored' });
      // @ts-expect-error There is no such resource.
      await calc.read('calc://other');
      // @ts-expect-error A server without types offers nothing that is known.
      await calc.client.as<McpServer>().call('add', { a: 1 });
    };
    expect(checked).toBeTypeOf('function');
  });

  it('come from every schema library', () => {
    const names = ['zod4', 'zod3', 'valibot', 'arktype', 'json'] as const;
    const server = defineServer({
      info: { name: 'many', version: '1' },
      tools: [
        defineTool(
          'zod4',
          { inputSchema: z.object({ n: z.number() }), outputSchema: z.object({ s: z.string() }) },
          ({ n }) => {
            expectTypeOf(n).toEqualTypeOf<number>();
            return { structuredContent: { s: '' } };
          },
        ),
        defineTool(
          'zod3',
          { inputSchema: z3.object({ n: z3.number() }), outputSchema: z3.object({ s: z3.string() }) },
          ({ n }) => {
            expectTypeOf(n).toEqualTypeOf<number>();
            return { structuredContent: { s: '' } };
          },
        ),
        defineTool(
          'valibot',
          { inputSchema: v.object({ n: v.number() }), outputSchema: v.object({ s: v.string() }) },
          ({ n }) => {
            expectTypeOf(n).toEqualTypeOf<number>();
            return { structuredContent: { s: '' } };
          },
        ),
        defineTool('arktype', { inputSchema: type({ n: 'number' }), outputSchema: type({ s: 'string' }) }, ({ n }) => {
          expectTypeOf(n).toEqualTypeOf<number>();
          return { structuredContent: { s: '' } };
        }),
        defineTool(
          'json',
          { inputSchema: fromJsonSchema({ type: 'object', properties: { n: { type: 'number' } } }) },
          ({ n }) => {
            expectTypeOf(n).toEqualTypeOf<unknown>();
            return text('');
          },
        ),
      ],
    });
    const checked = async (view: TypedClient<typeof server>): Promise<void> => {
      expectTypeOf(await view.call('zod4', { n: 1 })).toEqualTypeOf<{ s: string }>();
      expectTypeOf(await view.call('zod3', { n: 1 })).toEqualTypeOf<{ s: string }>();
      expectTypeOf(await view.call('valibot', { n: 1 })).toEqualTypeOf<{ s: string }>();
      expectTypeOf(await view.call('arktype', { n: 1 })).toEqualTypeOf<{ s: string }>();
      expectTypeOf(await view.call('json', { anything: 1 })).toEqualTypeOf<UnstructuredResult>();
      // @ts-expect-error `n` is a number.
      await view.call('valibot', { n: 'one' });
      // @ts-expect-error `n` is a number.
      await view.call('arktype', { n: 'one' });
      // @ts-expect-error `n` is a number.
      await view.call('zod3', { n: 'one' });
    };
    expect(checked).toBeTypeOf('function');
    expectTypeOf<Parameters<TypedClient<typeof server>['call']>[0]>().toEqualTypeOf<(typeof names)[number]>();
  });

  it('hold a defined tool to its output schema', () => {
    const outputSchema = z.object({ sum: z.number() });
    // @ts-expect-error The sum is a number.
    defineTool('a', { outputSchema }, () => ({ structuredContent: { sum: '1' } }));
    // @ts-expect-error There is no structured content.
    defineTool('b', { outputSchema }, () => text('1'));
    // @ts-expect-error Structured content needs an output schema.
    defineTool('c', {}, () => ({ content: [], structuredContent: { sum: 1 } }));
    const failing = defineTool('d', { outputSchema }, () => ({ ...text('no'), isError: true as const }));
    expect(failing.name).toBe('d');
  });

  it('know the variables of a template', () => {
    const made = defineResource('r', { uriTemplate: 'r://{a}/{+rest}/{list*}{?q,r}' }, {}, (_uri, variables) => {
      expectTypeOf(variables.a).toEqualTypeOf<string>();
      expectTypeOf(variables.rest).toEqualTypeOf<string | string[] | undefined>();
      expectTypeOf(variables.list).toEqualTypeOf<string | string[] | undefined>();
      expectTypeOf(variables.r).toEqualTypeOf<string | string[] | undefined>();
      // @ts-expect-error There is no such variable.
      void variables.b;
      return undefined;
    });
    expect(made.uri).toBe('r://{a}/{+rest}/{list*}{?q,r}');
    expectTypeOf<NonNullable<(typeof made)['~uris']>>().toEqualTypeOf<`r://${string}/${string}/${string}${string}`>();
  });

  it('hold a registered tool to what it always had to keep', () => {
    const server = new McpServer({ name: 's', version: '1' });
    // @ts-expect-error A result has content or structured content.
    server.registerTool('a', {}, () => ({}));
    // @ts-expect-error A schema is an object.
    expect(() => server.registerTool('b', { inputSchema: 'string' }, () => text(''))).toThrow(TypeError);
    server.registerTool('c', { inputSchema: { n: z.number() } }, ({ n }) => {
      expectTypeOf(n).toEqualTypeOf<number>();
      return { structuredContent: { n } };
    });
  });
});
