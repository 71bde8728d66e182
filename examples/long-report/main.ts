import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from '../node-http/serve.ts';
import { createReportServer } from './report-server.ts';

const server = createReportServer({
  writeChapter: async (topic, chapter, signal) => {
    await sleep(5000, undefined, { signal });
    return `Chapter ${chapter}. About ${topic}.`;
  },
});
const running = await serve(server, Number(process.env['PORT'] ?? 3000));
console.log(running.url);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void running.close());
