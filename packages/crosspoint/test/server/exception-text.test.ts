import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { completable, McpServer, ResourceTemplate, Server, text } from '../../src/server/index.ts';
import { beginExtension, Bench, declared, ended, until } from '../tasks/bench.ts';
import { everyRevision, type Frame, Wire } from './wire.ts';

const info = { name: 'exceptions', version: '1.0' };
/** In every part of an exception that must not leave. */
const INNER = 'inner-detail';

class Detailed extends Error {
  override name = `Detailed ${INNER}`;
  readonly code = INNER;
  readonly response = { body: INNER, headers: { authorization: INNER } };

  toJSON(): object {
    return { message: this.message, response: this.response };
  }
}

function withStack(error: Error): Error {
  error.stack = `Error: ${error.message}\n    at ${INNER} (/srv/${INNER}.ts:1:1)`;
  return error;
}

const thrown: readonly (readonly [string, unknown, string])[] = [
  ['an Error', withStack(new Error('Out of paper.')), 'Out of paper.'],
  ['an Error with a cause', withStack(new Error('No printer.', { cause: new Error(INNER) })), 'No printer.'],
  ['an Error with further members', withStack(new Detailed('Not printed.')), 'Not printed.'],
  ['an AggregateError', withStack(new AggregateError([new Error(INNER)], 'Two failed.')), 'Two failed.'],
  ['an Error without words', withStack(new TypeError('')), 'TypeError'],
  ['a string', 'No ink.', 'No ink.'],
  ['an object', { message: INNER, detail: INNER }, '[object Object]'],
  ['an Error whose message is no text', Object.assign(new Error('x'), { message: { detail: INNER } }), 'Unknown error'],
  ['nothing', undefined, 'undefined'],
];
/** `String` throws for it. */
const unwritable = [
  'an object that is no text',
  Object.assign(Object.create(null), { detail: INNER }) as object,
  'Unknown error',
] as const;

const fails = (value: unknown): (() => never) => {
  return () => {
    // oxlint-disable-next-line typescript/only-throw-error -- whatever a program may throw
    throw value;
  };
};

const said = (frames: readonly Frame[]): string => JSON.stringify(frames);

describe.each(everyRevision)('exceptions in %s', (_id, revision) => {
  test.each([...thrown, unwritable])(
    '%s thrown by a tool is told by its message alone',
    async (_what, value, message) => {
      const server = new McpServer(info);
      server.registerTool('now', {}, fails(value));
      server.registerTool('later', {}, () => Promise.reject(value as Error));
      const wire = await Wire.open(server);
      for (const name of ['now', 'later']) {
        const result = await wire.call(name, {}, revision);
        expect(result).toMatchObject({ isError: true, content: [{ type: 'text', text: message }] });
        expect(result.content).toHaveLength(1);
        expect(result.structuredContent).toBeUndefined();
      }
      expect(said(wire.frames)).not.toContain(INNER);
    },
  );

  test.each([...thrown, unwritable])(
    '%s thrown by any other handler is an internal error and nothing more',
    async (_what, value) => {
      const server = new McpServer(info);
      server.registerPrompt('prompt', { argsSchema: { x: completable(z.string(), fails(value)) } }, fails(value));
      server.registerResource('resource', 'a:b', {}, fails(value));
      server.registerResource('template', new ResourceTemplate('c:{x}', { list: fails(value) }), {}, fails(value));
      const low = new Server(info, { capabilities: { tools: {} } });
      low.setRequestHandler('tools/list', fails(value));
      low.setRequestHandler('tools/call', fails(value));
      const wire = await Wire.open(server);
      const lowWire = await Wire.open(low);
      const ref = { type: 'ref/prompt', name: 'prompt' };
      for (const [at, method, params] of [
        [wire, 'prompts/get', { name: 'prompt', arguments: { x: '1' } }],
        [wire, 'completion/complete', { ref, argument: { name: 'x', value: '' } }],
        [wire, 'resources/read', { uri: 'a:b' }],
        [wire, 'resources/read', { uri: 'c:d' }],
        [wire, 'resources/list', {}],
        [lowWire, 'tools/list', {}],
        [lowWire, 'tools/call', { name: 'x' }],
      ] as const)
        expect(await at.error(method, params, revision), method).toEqual({ code: -32603, message: 'Internal error' });
      expect(said(wire.frames) + said(lowWire.frames)).not.toMatch(/inner-detail|paper|printer|failed|ink/);
    },
  );
});

test.each(thrown)('%s thrown in a task is told by its message alone', async (_what, value, message) => {
  const bench = new Bench();
  bench.server.registerTool('fails', { task: 'optional' }, async (ctx) => {
    await ctx.step('one', () => 1);
    return fails(value)();
  });
  bench.server.registerTool('works', {}, () => text('x'));
  const wire = await Wire.open(bench.server, declared);
  const { taskId } = await beginExtension(wire, 'fails');
  await until(wire, taskId, ended);
  expect(said(wire.frames)).toContain(JSON.stringify(message));
  expect(said(wire.frames)).not.toContain(INNER);
});
