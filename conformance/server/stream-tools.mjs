import { setTimeout as delay } from 'node:timers/promises';
import { text } from 'crosspoint/server';

/** Tools that send messages before they answer, or whose connection ends before they do. */
export function registerStreamTools(server) {
  server.registerTool('test_tool_with_logging', { description: 'Logs three lines while it works.' }, async (ctx) => {
    for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      ctx.log('info', line);
      await delay(50);
    }
    return text('Tool with logging executed successfully');
  });

  server.registerTool('test_tool_with_progress', { description: 'Reports its progress.' }, async (ctx) => {
    for (const done of [0, 50, 100]) {
      ctx.progress(done, 100, `Completed step ${done} of 100`);
      await delay(50);
    }
    return text('Tool with progress executed successfully');
  });

  server.registerTool('test_logging_tool', { description: 'Logs a line, for those who want it.' }, (ctx) => {
    ctx.log('info', 'This line is for those who asked for it.');
    return text('Logged.');
  });

  server.registerTool('test_reconnection', { description: 'Ends its connection early.' }, async (ctx) => {
    ctx.closeSSEStream?.();
    await delay(100);
    return text('The client came back for its answer.');
  });
}
