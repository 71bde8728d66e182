import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { CallToolResult, Tool } from 'crosspoint/client';
import type { JsonObject } from '@crosspoint/host';
import type { CommandContext } from '../../context.ts';
import { CliError } from '../../errors/cli-error.ts';
import { defineCommand, type Command } from '../../grammar/command.ts';
import { findTool } from '../../server/find-offered.ts';
import type { OpenServer } from '../../server/open-server.ts';
import type { ParamsOf } from '../../server/operations.ts';
import { readArguments, readObject } from '../../values/read-arguments.ts';
import { readInput } from '../../values/read-input.ts';
import { showResult } from './show-result.ts';

export const call: Command = defineCommand({
  path: ['tools', 'call'],
  says: 'Call a tool and print its result.',
  about:
    'Arguments are NAME=TEXT, NAME=@FILE for the text of a file, and NAME:=JSON. A text is sent as it is; where the tool wants a number or a boolean, it must be one. Arguments that do not fit the schema of the tool are an error, and nothing is sent. Ctrl-C cancels the call at the server.',
  target: 'needed',
  arguments: [
    { name: 'tool', says: 'the name of the tool, in full', completes: 'tool' },
    {
      name: 'argument',
      says: 'NAME=TEXT, NAME=@FILE or NAME:=JSON',
      isOptional: true,
      isMany: true,
      completes: 'argument',
    },
  ],
  options: {
    args: {
      type: 'text',
      value: 'FILE',
      completes: 'file',
      says: 'All arguments as one JSON object from a file; "-" reads stdin.',
    },
    'accept-changes': {
      type: 'flag',
      says: 'Call the tool also where its definition has changed, and take that for known.',
    },
    timeline: {
      type: 'text',
      value: 'FILE',
      completes: 'file',
      says: 'Write what led to what during the call to this file, as a session file.',
    },
    task: {
      type: 'flag',
      says: 'Start the call as a task, print the task, and leave it: crosspoint tasks wait prints its result.',
    },
    ttl: {
      type: 'number',
      value: 'SECONDS',
      least: 1,
      most: 2_592_000,
      says: 'With --task: how long the server is asked to keep the task, where clients decide that.',
    },
    'invalid-ok': { type: 'flag', says: 'Send arguments also where they do not fit the schema of the tool.' },
  },
  examples: [
    { line: 'crosspoint tools call ev get-sum a=1 b=2', says: 'Numbers, because the tool wants numbers.' },
    { line: "crosspoint tools call ev echo message='two words'", says: 'A text.' },
    { line: 'crosspoint tools call reports yearly year=2026 --task', says: 'Prints the id of the task.' },
    { line: 'echo \'{"a":1,"b":2}\' | crosspoint tools call ev get-sum --args -', says: 'All arguments from stdin.' },
  ],
  prints: 'CallToolResult, as the specification has it; with --task: Task, with tool, arguments and requests: [id]',
  async run({ target, words: [name = '', ...pairs], options }, context) {
    if (target === undefined) throw new CliError('usage', 'The server is missing.');
    if (options.args !== undefined && pairs.length > 0)
      throw new CliError('usage', 'Arguments are given in words and with --args. Use one of them.');
    const whole =
      options.args === undefined ? undefined : readObject(await readInput(options.args, context.io), '--args');
    return context.withServer(
      target,
      async (server) => {
        const tool = await findTool(server, name);
        const args = whole ?? readArguments(pairs, tool.inputSchema, context.io.cwd);
        if (!options['invalid-ok']) await checkArguments(tool, args);
        const id = randomUUID();
        try {
          const accepts = options['accept-changes'];
          const wanted = { tool: tool.name, arguments: args, call: id, ...(accepts && { acceptChanges: true }) };
          if (options.task) {
            const { startTask } = await import('./start-task.ts');
            return await startTask(server, { ...wanted, ttl: options.ttl }, context);
          }
          return await showResult(await callTool(server, wanted, context), context);
        } finally {
          if (options.timeline !== undefined) await writeTimeline(server, id, options.timeline, context);
        }
      },
      { withTimeline: options.timeline !== undefined },
    );
  },
});

async function checkArguments(tool: Tool, args: JsonObject): Promise<void> {
  const { schemaFault } = await import('../../values/schema-fault.ts');
  const fault = schemaFault(tool.inputSchema, args);
  if (fault !== undefined)
    throw new CliError('usage', `The arguments do not fit the schema of ${JSON.stringify(tool.name)}: ${fault}`, {
      hint: 'Nothing was sent. --invalid-ok sends them as they are.',
    });
}

function callTool(
  server: OpenServer,
  wanted: ParamsOf<'tools.call'>,
  { output }: CommandContext,
): Promise<CallToolResult> {
  return server.request('tools.call', wanted, {
    onevent(event) {
      if (event.type === 'progress') output.progress(event);
    },
  });
}

async function writeTimeline(
  server: OpenServer,
  call: string,
  file: string,
  { io, output }: CommandContext,
): Promise<void> {
  const { spans } = await server.request('timeline.query', { call });
  const { exportSpans } = await import('../../values/export-spans.ts');
  const written = await exportSpans(spans, 'session', resolve(io.cwd, file));
  output.note(`The timeline is in ${written}.`);
}
