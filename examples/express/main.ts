import { createDemoServer } from '../demo-server/demo-server.ts';
import { serve } from './serve.ts';

const running = await serve(createDemoServer(), Number(process.env['PORT'] ?? 3000));
console.log(running.url);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void running.close());
