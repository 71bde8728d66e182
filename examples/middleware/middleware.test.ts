import type { CallRecord } from 'crosspoint/middleware';
import { InMemoryTransport } from 'crosspoint/testing';
import { expect, it } from 'vitest';
import { createShop, createThriftyClient } from './shop.ts';

it('denies, remembers and writes down', async () => {
  const records: CallRecord[] = [];
  let isOpen = false;
  const shop = createShop(
    () => isOpen,
    (record) => records.push(record),
  );
  const client = createThriftyClient();
  const [near, far] = InMemoryTransport.createLinkedPair();
  await shop.connect(far);
  await client.connect(near);
  const price = { name: 'price', arguments: { item: 'tea' } };
  expect((await client.callTool(price)).content).toEqual((await client.callTool(price)).content);
  const order = { name: 'order', arguments: { item: 'tea' } };
  await expect(client.callTool(order)).rejects.toThrow('The shop is closed.');
  isOpen = true;
  await client.callTool(order);
  await client.close();
  expect(records.map(({ name, outcome, error }) => ({ name, outcome, kind: error?.kind }))).toEqual([
    { name: 'price', outcome: 'complete', kind: undefined },
    { name: 'order', outcome: 'error', kind: 'invalid-request' },
    { name: 'order', outcome: 'complete', kind: undefined },
  ]);
});
