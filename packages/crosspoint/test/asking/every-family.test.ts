import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Client } from '../../src/client/index.ts';
import { revisions } from '../../src/revisions/index.ts';
import { McpServer, inputRequired, text } from '../../src/server/index.ts';
import { InMemoryTransport } from '../../src/transports/memory/in-memory-transport.ts';

const Confirm = z.object({ ok: z.boolean() });
const Reason = z.object({ reason: z.string() });

/** A shop whose refund asks twice and acts once. */
function shop(): { server: McpServer; done: string[] } {
  const done: string[] = [];
  const server = new McpServer({ name: 'shop', version: '1' });
  server.registerTool('refund', { inputSchema: { order: z.string() } }, async ({ order }, ctx) => {
    const quote = await ctx.step('quote', () => {
      done.push('quote');
      return { amount: 5 };
    });
    const answer = await ctx.elicit({ message: `Refund ${quote.amount}?`, schema: Confirm });
    if (answer.action !== 'accept' || !answer.content.ok) return text(`Nothing was refunded: ${answer.action}.`);
    const [reason, roots] = await Promise.all([ctx.elicit({ message: 'Why?', schema: Reason }), ctx.listRoots()]);
    await ctx.step('refund', ({ idempotencyKey }) => void done.push(`refund ${order} ${idempotencyKey.length > 10}`));
    return text(
      `Refunded ${quote.amount} because ${reason.action === 'accept' ? reason.content.reason : '?'}, ${roots.length} roots.`,
    );
  });
  server.registerTool('explicit', {}, (ctx) => {
    const answer = ctx.inputResponses?.['name'] as { content?: { name?: string } } | undefined;
    if (answer === undefined)
      return inputRequired({
        inputRequests: {
          name: inputRequired.elicit({
            message: 'Name?',
            requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
          }),
        },
        requestState: 'mine',
      });
    return text(`${answer.content?.name} ${ctx.requestState}`);
  });
  return { server, done };
}

async function connect(server: McpServer, revision: string): Promise<{ client: Client; asked: string[] }> {
  const asked: string[] = [];
  const client = new Client(
    { name: 'c', version: '1' },
    { revisions: [revision], capabilities: { elicitation: {}, roots: {} } },
  );
  client.setRequestHandler('elicitation/create', (request) => {
    const { message } = request.params as { message: string };
    asked.push(message);
    if (message === 'Why?') return { action: 'accept', content: { reason: 'broken' } };
    return message === 'Name?'
      ? { action: 'accept', content: { name: 'Ann' } }
      : { action: 'accept', content: { ok: true } };
  });
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///a' }] }));
  const [a, b] = InMemoryTransport.createLinkedPair({ text: true });
  await server.connect(b);
  await client.connect(a);
  return { client, asked };
}

const withElicitation = revisions.filter(
  (revision) => revision.family === 'per-request' || revision.methods.has('elicitation/create'),
);
const without = revisions.filter((revision) => !withElicitation.includes(revision));

describe.each(withElicitation.map(({ id }) => id))('the same handler with a client of %s', (revision) => {
  it('asks, remembers what it did, and ends alike', async () => {
    const { server, done } = shop();
    const { client, asked } = await connect(server, revision);
    const result = await client.callTool({ name: 'refund', arguments: { order: 'o1' } });
    expect(result.content).toEqual([{ type: 'text', text: 'Refunded 5 because broken, 1 roots.' }]);
    expect(asked).toEqual(['Refund 5?', 'Why?']);
    expect(done).toEqual(['quote', 'refund o1 true']);
    await client.close();
  });

  it('serves the explicit style', async () => {
    const { client, asked } = await connect(shop().server, revision);
    const result = await client.callTool({ name: 'explicit' });
    expect(result.content).toEqual([{ type: 'text', text: 'Ann mine' }]);
    expect(asked).toEqual(['Name?']);
    await client.close();
  });
});

describe.each(without.map(({ id }) => id))('a client of %s', (revision) => {
  it('is told at once that it cannot be asked', async () => {
    const { client } = await connect(shop().server, revision);
    expect(await client.callTool({ name: 'refund', arguments: { order: 'o1' } })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('has not declared elicitation') as string }],
    });
    await client.close();
  });
});
