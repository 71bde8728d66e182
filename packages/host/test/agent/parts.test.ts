import { expect, it } from 'vitest';
import { EventQueue } from '../../src/agent/event-queue.ts';
import { cutContent, resultBlocks } from '../../src/agent/result-text.ts';
import type { RunEvent } from '../../src/agent/index.ts';

const read = async (queue: EventQueue): Promise<RunEvent[]> => {
  queue.close();
  const events: RunEvent[] = [];
  for await (const event of queue) events.push(event);
  return events;
};

it('joins words that nobody has read yet', async () => {
  const queue = new EventQueue();
  for (const text of ['a', 'b', 'c']) queue.push({ type: 'text', text });
  queue.push({ type: 'reasoning', text: 'd' });
  queue.push({ type: 'text', text: 'e' });
  expect(await read(queue)).toEqual([
    { type: 'text', text: 'abc' },
    { type: 'reasoning', text: 'd' },
    { type: 'text', text: 'e' },
  ]);
});

it('keeps a thousand events for a reader who may come', async () => {
  const queue = new EventQueue();
  for (let at = 0; at < 1500; at += 1) queue.push({ type: 'shortened', results: at, tokens: 0 });
  const events = await read(queue);
  expect(events).toHaveLength(1000);
  expect(events.at(-1)).toMatchObject({ results: 1499 });
});

it('takes no character apart where it cuts', () => {
  const content = [{ type: 'text' as const, text: `ab\u{1F600}cd` }];
  const [block] = cutContent(content, { ref: 'r1', characters: 3 });
  expect(block).toMatchObject({ text: expect.stringMatching(/^ab\n\[Cut after 2 of 6 characters/) as string });
});

it('describes media that are too large, gives structured content where there is no other, and says that there is none', () => {
  const image = { type: 'image' as const, data: 'A'.repeat(8_000_000), mimeType: 'image/png' };
  expect(resultBlocks({ content: [image] }, { name: 'm' })).toEqual([
    { type: 'text', text: '(An image of type image/png, 6000 kB, which is not shown to you.)' },
  ]);
  expect(resultBlocks({ content: [], structuredContent: { a: 1 } }, { name: 'm' })).toEqual([
    { type: 'text', text: '{"a":1}' },
  ]);
  expect(resultBlocks({ content: [] }, { name: 'm' })).toEqual([{ type: 'text', text: '(No content.)' }]);
});
