import { protocolRevisions } from 'crosspoint';
import type { ElicitResult } from 'crosspoint/client';
import { connectLinked } from 'crosspoint/testing';
import { describe, expect, test } from 'vitest';
import { startPaymentPage } from './payment-page.ts';
import { createShopServer } from './shop-server.ts';

/** The revisions in which a server can send its user to a page. */
const REVISIONS = protocolRevisions.slice(0, 2);

interface User {
  address?: string;
  /** The user's action on the page; when absent, they decline to open it. */
  pay?: (url: string) => Promise<unknown>;
}

async function buy(revision: string, { address, pay }: User, items = [{ product: 'mug', count: 2 }]) {
  const done: string[] = [];
  const asked: string[] = [];
  const payments = await startPaymentPage();
  const server = createShopServer({
    payments,
    reserve: async () => void done.push('reserved'),
    ship: async (_order, idempotencyKey) => {
      done.push(`shipped ${idempotencyKey.length > 0}`);
      return '7';
    },
  });
  const { client, close } = await connectLinked(server, {
    revision,
    capabilities: { elicitation: { form: {}, url: {} } },
    prepare: (made) =>
      made.setRequestHandler('elicitation/create', async ({ params }): Promise<ElicitResult> => {
        asked.push(params.message);
        if (params.mode !== 'url')
          return address === undefined ? { action: 'cancel' } : { action: 'accept', content: { address } };
        if (pay === undefined) return { action: 'decline' };
        await pay(params.url);
        return { action: 'accept' };
      }),
  });
  try {
    const result = await client.callTool({ name: 'checkout', arguments: { items } });
    return { text: (result.content[0] as { text: string }).text, isError: result.isError, done, asked };
  } finally {
    await close();
    await payments.close();
  }
}

describe.each(REVISIONS)('a checkout in $id', ({ id }) => {
  test('asks twice and does each thing once', async () => {
    const { text, done, asked } = await buy(id, { address: 'Main Street 1', pay: (url) => fetch(url) });
    expect(text).toBe('Thank you! Parcel 7 is on its way to Main Street 1.');
    expect(asked).toEqual(['18.00 EUR in all. Where shall we send it?', 'Please pay 18.00 EUR.']);
    expect(done).toEqual(['reserved', 'shipped true']);
  });

  test('ships nothing that was not paid', async () => {
    const refused = await buy(id, { address: 'Main Street 1', pay: (url) => fetch(`${url}&card=refused`) });
    expect(refused.text).toBe('Nothing was bought: the order was not paid.');
    expect(refused.done).toEqual(['reserved']);
    expect((await buy(id, { address: 'Main Street 1' })).text).toBe('Nothing was bought: the order was not paid.');
  });

  test('does nothing without an address, or for what is not for sale', async () => {
    expect(await buy(id, {})).toMatchObject({ text: 'Nothing was bought.', done: [] });
    const unknown = await buy(id, {}, [{ product: 'moon', count: 1 }]);
    expect(unknown).toMatchObject({ isError: true, asked: [], text: expect.stringContaining('There is no "moon"') });
  });
});
