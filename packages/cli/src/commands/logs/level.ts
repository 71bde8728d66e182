import type { LoggingLevel } from 'crosspoint/client';
import { defineCommand, type Command } from '../../grammar/command.ts';
import { withKept } from '../../server/with-kept.ts';
import { LOG_LEVELS } from '../../values/log-levels.ts';

export const level: Command = defineCommand({
  path: ['logs', 'level'],
  says: 'Set the least severe log messages that the server of a kept connection sends.',
  about:
    'A server of the handshake family keeps the level for its session; one of the per-request family is told it with every request, and sends the messages of that request. It holds until the connection is closed.',
  arguments: [
    { name: 'name', says: 'a kept connection', completes: 'kept' },
    { name: 'level', says: `one of ${LOG_LEVELS.join(', ')}`, words: LOG_LEVELS },
  ],
  examples: [{ line: 'crosspoint logs level ev debug', says: 'Everything.' }],
  prints: '{ level, by: "session" | "request" }',
  async run({ words: [name = '', wanted] }, context) {
    const { signal, output } = context;
    const told = await withKept(name, context, (server) =>
      server.request('logs.level', { level: wanted as LoggingLevel }, { signal }),
    );
    const how = told.by === 'session' ? 'The server keeps it for its session.' : 'It goes with every request.';
    output.result(told, () => `The level is ${told.level}. ${how}`);
  },
});
