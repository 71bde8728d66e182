import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Payment {
  readonly cents: number;
  readonly paid: Promise<boolean>;
  settle(paid: boolean): void;
}

/** The shop's own page, where the user enters a card. Neither the client nor the model ever sees the input. */
export async function startPaymentPage() {
  const payments = new Map<string, Payment>();
  const http = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const payment = payments.get(searchParams.get('order') ?? '');
    // A real page shows a form, knows its visitor from a login, and pays when the form is sent.
    payment?.settle(searchParams.get('card') !== 'refused');
    response.writeHead(payment === undefined ? 404 : 200, { 'content-type': 'text/plain' });
    response.end(payment === undefined ? 'There is no such order.' : 'Thank you. You may close this page.');
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return {
    /** The address at which an order is paid. */
    open(cents: number): { order: string; url: string } {
      const order = crypto.randomUUID();
      let settle: Payment['settle'] = () => {};
      const paid = new Promise<boolean>((resolve) => (settle = resolve));
      payments.set(order, { cents, paid, settle });
      return { order, url: `${origin}/pay?order=${order}` };
    },
    /** Whether the user has paid; resolves when they have left the page. */
    async whenPaid(order: string, signal: AbortSignal): Promise<boolean> {
      const givenUp = new Promise<boolean>((resolve) =>
        signal.addEventListener('abort', () => resolve(false), { once: true }),
      );
      return Promise.race([payments.get(order)?.paid ?? Promise.resolve(false), givenUp]);
    },
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

export type PaymentPage = Awaited<ReturnType<typeof startPaymentPage>>;
