import { serve } from '../node-http/serve.ts';
import { startPaymentPage } from './payment-page.ts';
import { createShopServer } from './shop-server.ts';

const payments = await startPaymentPage();
let parcels = 0;
const server = createShopServer({
  payments,
  reserve: async (items) => console.log('Reserved', items),
  ship: async (order) => {
    console.log('Shipped', order);
    return String((parcels += 1));
  },
});
const running = await serve(server, Number(process.env['PORT'] ?? 3000));
console.log(running.url);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void Promise.all([running.close(), payments.close()]));
