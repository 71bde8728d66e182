import { createDemoServer } from '../demo-server/demo-server.ts';
import { serve } from './serve.ts';

const { url, close } = await serve(createDemoServer(), Number(process.env['PORT'] ?? 3000));
console.log(url);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void close());
