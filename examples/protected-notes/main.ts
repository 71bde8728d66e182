import { serve } from './serve.ts';

// A program with real users compares with a slow digest, in constant time.
const running = await serve(
  (name, password) => (name === 'ada' && password === 'engine' ? { sub: 'ada', name: 'Ada' } : undefined),
  Number(process.env['PORT'] ?? 3000),
);
console.log(`${running.url} (log in as ada, password engine)`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void running.close());
