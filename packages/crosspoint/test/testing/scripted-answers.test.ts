import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { revisions } from '../../src/revisions/index.ts';
import { McpServer, text } from '../../src/server/index.ts';
import { answer, connectLinked, ScriptError } from '../../src/testing/index.ts';
import { ScriptedAnswers, type ScriptedAnswer } from '../../src/testing/scripted-answers.ts';

const IDS = revisions.map(({ id }) => id);
/** Those in which everything can be asked. */
const [NEWEST = '', HANDSHAKE = ''] = IDS;

function shop(): McpServer {
  const server = new McpServer({ name: 'shop', version: '1.0.0' });
  server.registerTool('order', {}, async (ctx) => {
    const size = await ctx.elicit({ message: 'Which size?', schema: z.object({ size: z.enum(['S', 'L']) }) });
    if (size.action !== 'accept') return text(`nothing: ${size.action}`);
    const again = await ctx.elicit({ message: 'Which colour?', schema: z.object({ colour: z.string() }) });
    return text(again.action === 'accept' ? `${size.content.size} in ${again.content.colour}` : 'no colour');
  });
  server.registerTool('poem', {}, async (ctx) => {
    const { content } = await ctx.sample({
      messages: [{ role: 'user', content: { type: 'text', text: 'Write' } }],
      maxTokens: 10,
    });
    return { content: [content].flat() as [] };
  });
  server.registerTool('roots', {}, async (ctx) => text(JSON.stringify(await ctx.listRoots())));
  server.registerTool('pay', {}, async (ctx) => {
    const { action } = await ctx.elicit({
      mode: 'url',
      message: 'Pay here',
      url: 'https://pay.example/1',
      elicitationId: 'p-1',
    });
    return text(action);
  });
  return server;
}

async function call(name: string, answers: readonly ScriptedAnswer[], revision = NEWEST): Promise<unknown> {
  const { client, close } = await connectLinked(shop(), { revision, answers });
  const { content } = await client.callTool({ name });
  await close();
  return (content[0] as { text?: string }).text;
}

describe('scripted answers', () => {
  it.each([NEWEST, HANDSHAKE])('answer questions in their order, in %s', async (revision) => {
    const answers = [answer.accept({ size: 'L' }), answer.accept(({ message }) => ({ colour: `red (${message})` }))];
    expect(await call('order', answers, revision)).toBe('L in red (Which colour?)');
    expect(await call('order', [answer.decline()], revision)).toBe('nothing: decline');
    expect(await call('order', [answer.accept({ size: 'S' }), answer.cancel()], revision)).toBe('no colour');
  });

  it.each([NEWEST, HANDSHAKE])(
    'speak for a model, for a user who visits an address, and for a host with roots, in %s',
    async (revision) => {
      expect(await call('poem', [answer.sample('Roses')], revision)).toBe('Roses');
      expect(await call('poem', [answer.sample(({ maxTokens }) => `${maxTokens} words`)], revision)).toBe('10 words');
      const seen: string[] = [];
      const visit = answer.visit(({ url }) => {
        seen.push(url);
      });
      expect(await call('pay', [visit], revision)).toBe('accept');
      expect(seen).toEqual(['https://pay.example/1']);
      expect(await call('roots', [answer.roots('file:///home')], revision)).toBe('[{"uri":"file:///home"}]');
    },
  );

  it('say what was asked', async () => {
    const { client, answers, close } = await connectLinked(shop(), { answers: [answer.decline()] });
    await client.callTool({ name: 'order' });
    expect(answers.asked).toMatchObject([{ method: 'elicitation/create', params: { message: 'Which size?' } }]);
    await close();
  });

  it.each([NEWEST, HANDSHAKE])(
    'refuse a question that was not expected, and say which when the connection is closed, in %s',
    async (revision) => {
      const { client, answers, close } = await connectLinked(shop(), {
        revision,
        answers: [answer.accept({ size: 'L' })],
      });
      const outcome = await client.callTool({ name: 'order' }).catch((error: unknown) => error);
      expect(outcome).toSatisfy((value) => value instanceof Error || (value as { isError?: boolean }).isError === true);
      expect(() => answers.verify()).toThrow(ScriptError);
      await expect(close()).rejects.toThrow(
        'The script was not followed:\n  - asked, but no answer is left: elicitation/create, “Which colour?”',
      );
    },
  );

  it('refuse an answer of the wrong kind', async () => {
    const { client, close } = await connectLinked(shop(), { answers: [answer.visit()] });
    await client.callTool({ name: 'order' }).catch(() => {});
    await expect(close()).rejects.toThrow(
      /asked for a form, but the next answer is "visit": elicitation\/create, “Which size\?”/,
    );
  });

  it('tell of answers that were never asked for', async () => {
    const { close } = await connectLinked(shop(), { answers: [answer.roots(), answer.sample('x')] });
    await expect(close()).rejects.toThrow(
      'The script was not followed:\n  - never asked: roots/list, to be answered with "roots"\n  - never asked: sampling/createMessage, to be answered with "sample"',
    );
  });

  it('can answer with an error', async () => {
    const { client, close } = await connectLinked(shop(), {
      revision: HANDSHAKE,
      answers: [answer.fail('roots/list', 'not today')],
    });
    const outcome = await client.callTool({ name: 'roots' }).catch((error: unknown) => error);
    expect(JSON.stringify(outcome instanceof Error ? outcome.message : outcome)).toMatch(/not today|isError|Internal/);
    await close();
  });

  it('declare what the program says it can, and answer nothing else', async () => {
    const { client, close } = await connectLinked(shop(), {
      capabilities: { roots: {} },
      answers: [answer.roots('file:///a')],
    });
    const { extensions: _, ...declared } = client.getClientCapabilities();
    expect(declared).toEqual({ roots: {} });
    expect((await client.callTool({ name: 'roots' })).content).toMatchObject([{ text: '[{"uri":"file:///a"}]' }]);
    await close();
  });

  it('are content when nothing was said and nothing asked', () => {
    expect(() => new ScriptedAnswers([]).verify()).not.toThrow();
  });
});
