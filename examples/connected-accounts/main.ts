import { HUB_CLIENT, startHub } from './hub.ts';
import { serve } from './serve.ts';

const user = { sub: 'ada-at-hub' };
let close = (): unknown => undefined;
const running = await serve({
  hub: async (origin) => {
    const hub = await startHub(() => `${origin}/connect/hub/callback`, user);
    close = hub.close;
    return { url: hub.url, ...HUB_CLIENT };
  },
  people: (name, password) => (name === 'ada' && password === 'engine' ? { sub: 'ada', name: 'Ada' } : undefined),
  port: Number(process.env['PORT'] ?? 3000),
});
console.log(`${running.url} (log in as ada, password engine)`);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    close();
    void running.close();
  });
