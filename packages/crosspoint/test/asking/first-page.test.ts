import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { ROOT, docBlocks } from '../docs/doc-blocks.ts';
import { RawChild } from '../hostile/raw-child.ts';
import { stateless } from './linked.ts';
import { clientWordsOf } from '../../src/revisions/client-words.ts';

const FOLDER = join(ROOT, '.cache', 'first-page');

/** The server of the README, word for word, as a process of its own. */
async function firstPage(): Promise<RawChild> {
  const block = docBlocks().find(({ page, code }) => page === 'README.md' && code.includes("ctx.step('refund'"));
  if (block === undefined) throw new Error('The README shows no refund any more.');
  const { code } = await transform(block.code, { loader: 'ts', format: 'esm', target: 'node20' });
  mkdirSync(FOLDER, { recursive: true });
  const file = join(FOLDER, 'shop.mjs');
  writeFileSync(file, code);
  return new RawChild([file]);
}

let child: RawChild | undefined;
afterEach(async () => {
  await child?.end();
  child = undefined;
});

let ids = 0;

async function refund(shop: RawChild, retry: JsonObject = {}): Promise<JsonObject> {
  const id = `call ${(ids += 1)}`;
  const params = clientWordsOf(stateless).writeRequest({
    method: 'tools/call',
    params: { name: 'refund', arguments: { order: '17' }, ...retry },
    facts: { client: { name: 'c', version: '1' }, capabilities: { elicitation: { form: {} } } },
  });
  await shop.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`);
  const [answer] = (await shop.take((message) => message['id'] === id)).slice(-1);
  const { result, error } = answer as { result?: JsonObject; error?: JsonObject };
  return result ?? { error };
}

async function asked(shop: RawChild): Promise<{ requestState: unknown; keys: string[] }> {
  const { requestState, inputRequests } = await refund(shop);
  return { requestState, keys: Object.keys(inputRequests as JsonObject) };
}

const answers = (keys: string[], answer: JsonObject): JsonObject =>
  Object.fromEntries(keys.map((key) => [key, answer]));
const YES = { action: 'accept', content: { sure: true } };
const NO = { action: 'decline' };

/** How often money went out, in the words of the README; known once the process has ended. */
async function refunds(shop: RawChild): Promise<number> {
  await shop.end();
  return shop.stderr.split('\n').filter((line) => line.startsWith('refunding')).length;
}

describe('the refund of the README, as it stands', { timeout: 60_000 }, () => {
  it('is made once when the approval is sent four times, one after the other', async () => {
    const shop = (child = await firstPage());
    const { requestState, keys } = await asked(shop);
    const approval = { requestState, inputResponses: answers(keys, YES) };
    const first = await refund(shop, approval);
    expect(first).toMatchObject({ content: [{ text: 'Refunded.' }] });
    for (let copy = 0; copy < 3; copy += 1) expect(await refund(shop, approval)).toEqual(first);
    expect(await refunds(shop)).toBe(1);
  });

  it('is made once when six copies of the approval arrive together', async () => {
    const shop = (child = await firstPage());
    const { requestState, keys } = await asked(shop);
    const approval = { requestState, inputResponses: answers(keys, YES) };
    const results = await Promise.all(Array.from({ length: 6 }, () => refund(shop, approval)));
    expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1);
    expect(results[0]).toMatchObject({ content: [{ text: 'Refunded.' }] });
    expect(await refunds(shop)).toBe(1);
  });

  it('is not made when what was declined is sent again as approved', async () => {
    const shop = (child = await firstPage());
    const { requestState, keys } = await asked(shop);
    const declined = await refund(shop, { requestState, inputResponses: answers(keys, NO) });
    expect(declined).toMatchObject({ content: [{ text: 'Nothing was refunded.' }] });
    expect(await refund(shop, { requestState, inputResponses: answers(keys, YES) })).toMatchObject({
      error: { message: expect.stringContaining('with other answers') as string },
    });
    expect(await refund(shop, { requestState, inputResponses: answers(keys, NO) })).toEqual(declined);
    expect(await refunds(shop)).toBe(0);
  });
});
