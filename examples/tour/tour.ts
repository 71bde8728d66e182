import { protocolRevisions } from 'crosspoint';
import { visit } from './visit.ts';
import { createVisitor, headline } from './visitor.ts';

/**
 * Shows the demonstration server as a client of each revision sees it. `origin` has it on `/mcp`, and on `/sse` for the oldest revision. Ends early
 * when `signal` aborts.
 */
export async function tour(origin: string, signal: AbortSignal): Promise<void> {
  for (const { id } of protocolRevisions) {
    if (signal.aborted) return;
    const client = createVisitor(id);
    const leave = (): void => void client.close();
    signal.addEventListener('abort', leave, { once: true });
    const started = performance.now();
    // The oldest revision has two endpoints: a stream, and an address to post to.
    const oldest = id === protocolRevisions.at(-1)?.id;
    try {
      await client.connect(oldest ? { url: `${origin}/sse`, transport: 'sse' } : `${origin}/mcp`);
      console.log(headline(client, started));
      await visit(client);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      signal.removeEventListener('abort', leave);
      await client.close();
    }
  }
}
