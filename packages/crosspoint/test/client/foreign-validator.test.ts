import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { afterEach, expect, test } from 'vitest';
import { Server } from '../../src/server/index.ts';
import { connectLinked, type Linked } from '../../src/testing/index.ts';

const outputSchema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };

const open: Linked[] = [];
afterEach(async () => {
  for (const linked of open.splice(0)) await linked.close();
});

/** A server that does not look at what it gives. */
async function linkTo(sum: unknown, jsonSchemaValidator: AjvJsonSchemaValidator): Promise<Linked> {
  const server = new Server({ name: 'careless', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({
    tools: [{ name: 'add', inputSchema: { type: 'object' }, outputSchema }],
  }));
  server.setRequestHandler('tools/call', () => ({ content: [], structuredContent: { sum } }));
  const linked = await connectLinked(server, { outputValidation: 'error', jsonSchemaValidator });
  open.push(linked);
  await linked.client.listTools();
  return linked;
}

test('results are held against their schema by the validator that the program gave', async () => {
  const asked: unknown[] = [];
  class Counted extends AjvJsonSchemaValidator {
    override getValidator<T>(schema: Parameters<AjvJsonSchemaValidator['getValidator']>[0]) {
      asked.push(schema);
      return super.getValidator<T>(schema);
    }
  }
  const good = await linkTo(42, new Counted());
  expect(await good.client.callTool({ name: 'add' })).toMatchObject({ structuredContent: { sum: 42 } });
  await good.client.callTool({ name: 'add' });
  expect(asked).toEqual([outputSchema]);

  const bad = await linkTo('forty-two', new Counted());
  await expect(bad.client.callTool({ name: 'add' })).rejects.toThrow(
    /"add" breaks its output schema: .*must be number/,
  );
  expect(asked).toHaveLength(2);
});

test('a validator that refuses a schema is told of, and the result is given', async () => {
  class Refusing extends AjvJsonSchemaValidator {
    override getValidator(): never {
      throw new Error('no such keyword');
    }
  }
  const { client } = await linkTo('forty-two', new Refusing());
  const problems: string[] = [];
  client.onerror = ({ message }) => problems.push(message);
  expect(await client.callTool({ name: 'add' })).toMatchObject({ structuredContent: { sum: 'forty-two' } });
  expect(problems).toEqual([
    expect.stringContaining('cannot be used, so its results are not checked: no such keyword'),
  ]);
});
