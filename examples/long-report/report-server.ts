import { McpServer, ToolError, text } from 'crosspoint/server';
import { tasks } from 'crosspoint/server/tasks';
import * as z from 'zod';

export interface ReportOptions {
  /** Writes one chapter; the slow part. */
  writeChapter: (topic: string, chapter: number, signal: AbortSignal) => Promise<string>;
}

/** A report takes minutes. Its tool only declares that it may run as a task; a client without tasks waits for the call instead. */
export function createReportServer({ writeChapter }: ReportOptions): McpServer {
  const server = new McpServer({ name: 'reports', version: '1.0.0' });
  server.use(tasks({ pollIntervalMs: 100 }));
  server.registerTool(
    'write_report',
    {
      description: 'Writes a report, chapter by chapter',
      inputSchema: { topic: z.string().max(200), chapters: z.number().int().min(1).max(20).default(3) },
      task: 'optional',
    },
    async ({ topic, chapters }, ctx) => {
      const written: string[] = [];
      for (let chapter = 1; chapter <= chapters; chapter += 1) {
        if (ctx.signal.aborted) throw new ToolError('The report was given up.');
        // A step is stored with the task: after a restart, finished chapters are not written again.
        written.push(await ctx.step(`chapter ${chapter}`, () => writeChapter(topic, chapter, ctx.signal)));
        ctx.progress(chapter, chapters, `${chapter} of ${chapters} chapters`);
        await ctx.task?.setStatus(`${chapter} of ${chapters} chapters`);
      }
      return text(written.join('\n'));
    },
  );
  return server;
}
