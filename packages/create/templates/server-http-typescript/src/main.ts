import { listen } from './listen.js';

const { url, close } = await listen(Number(process.env['PORT'] ?? 3000));
console.log(`Serving MCP on ${url}`);

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void close());
