import { McpServer, ToolError, text } from 'crosspoint/server';
import * as z from 'zod';
import type { PaymentPage } from './payment-page.ts';

const PRODUCTS = new Map([
  ['mug', { name: 'Mug', cents: 900 }],
  ['shirt', { name: 'Shirt', cents: 2500 }],
]);

export interface ShopOptions {
  payments: PaymentPage;
  /** Hands a paid order to the warehouse. The key is the same for every attempt at one order. */
  ship: (order: { address: string; items: readonly Item[] }, idempotencyKey: string) => Promise<string>;
  /** Reserves the goods until the order is completed. */
  reserve: (items: readonly Item[]) => Promise<void>;
}

const Item = z.object({ product: z.string(), count: z.number().int().min(1).max(10) });
type Item = z.infer<typeof Item>;

/**
 * A shop whose checkout asks for an address in a form and for the payment on a page of its own. The handler reads from top to bottom. A client
 * that cannot be asked during the call calls again with the answers, and finished steps do not run twice.
 */
export function createShopServer({ payments, ship, reserve }: ShopOptions): McpServer {
  const server = new McpServer({ name: 'shop', version: '1.0.0' });

  server.registerTool('browse', { description: 'What there is to buy', annotations: { readOnlyHint: true } }, () => ({
    structuredContent: { products: [...PRODUCTS].map(([product, facts]) => ({ product, ...facts })) },
  }));

  server.registerTool(
    'checkout',
    { description: 'Buys things', inputSchema: { items: z.array(Item).min(1).max(20) } },
    async ({ items }, ctx) => {
      const cents = total(items);
      const answer = await ctx.elicit({
        message: `${price(cents)} in all. Where shall we send it?`,
        schema: z.object({ address: z.string().min(5), gift: z.boolean().default(false) }),
      });
      if (answer.action !== 'accept') return text('Nothing was bought.');
      const { address } = answer.content;

      await ctx.step('reserve', () => reserve(items));
      const { order, url } = await ctx.step('payment', () => payments.open(cents));
      const consent = await ctx.elicit({
        mode: 'url',
        message: `Please pay ${price(cents)}.`,
        url,
        elicitationId: order,
      });
      // Consent means that the user opened the page. Only the page knows whether they paid.
      const isPaid = consent.action === 'accept' && (await payments.whenPaid(order, ctx.signal));
      if (!isPaid) return text('Nothing was bought: the order was not paid.');

      const parcel = await ctx.step('ship', ({ idempotencyKey }) => ship({ address, items }, idempotencyKey));
      return text(`Thank you! Parcel ${parcel} is on its way to ${address}.`);
    },
  );
  return server;
}

function total(items: readonly Item[]): number {
  return items.reduce((sum, { product, count }) => {
    const found = PRODUCTS.get(product);
    if (found === undefined) throw new ToolError(`There is no "${product}". See what there is with browse.`);
    return sum + found.cents * count;
  }, 0);
}

const price = (cents: number): string => `${(cents / 100).toFixed(2)} EUR`;
