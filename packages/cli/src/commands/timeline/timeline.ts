import { resolve } from 'node:path';
import type { TimelineSpan } from '@crosspoint/host/timeline';
import type { CommandContext } from '../../context.ts';
import { CliError } from '../../errors/cli-error.ts';
import { defineCommand, type Command } from '../../grammar/command.ts';
import { KeptRecords } from '../../keeper/records.ts';
import { reachKept } from '../../server/server-opener.ts';

export const timeline: Command = defineCommand({
  path: ['timeline'],
  says: 'Show what led to what on kept connections.',
  about:
    'Calls, with the questions, requests, HTTP exchanges, logins, logs and lines of stderr that they led to, as a tree. A kept connection keeps the newest 10,000 pieces of work in memory, with secrets masked, until it ends. Without a name, all kept connections are shown. In a shell, also its own connections. crosspoint tools call --timeline FILE writes the same for one call.',
  arguments: [{ name: 'name', says: 'a kept connection', isOptional: true, completes: 'kept' }],
  options: {
    since: { type: 'text', value: 'TIME', says: 'Only work since then: 30s, 5m, 2h, or a date.' },
    call: { type: 'text', value: 'ID', says: 'Only this call, span or trace, with everything under it.' },
    limit: {
      type: 'number',
      value: 'NUMBER',
      least: 1,
      most: 10_000,
      says: 'The most trees, of which the newest are shown; 100 when absent.',
    },
    events: { type: 'flag', says: 'Show progress, logs and lines of stderr, too.' },
    export: {
      type: 'text',
      value: 'FORMAT',
      words: ['otlp', 'session'],
      says: 'Write it as OpenTelemetry (otlp) or as a session file; needs --output.',
    },
    output: { type: 'text', value: 'FILE', completes: 'file', says: 'The file of --export, for you alone to read.' },
  },
  examples: [
    { line: 'crosspoint timeline ev --since 5m', says: 'The last five minutes.' },
    { line: 'crosspoint timeline ev --export otlp --output trace.json', says: 'For a collector of OpenTelemetry.' },
  ],
  prints:
    '{ connections: [{ name, spans: [{ id, trace, parent?, kind, name, server?, startedAt, durationMs?, status, error?, facts, events, droppedEvents, links, children }], dropped }] }; with --export: { file, spans }',
  async run({ words: [name], options }, context) {
    const { output, io } = context;
    if ((options.export === undefined) !== (options.output === undefined))
      throw new CliError('usage', '--export and --output belong together: --export otlp --output FILE.');
    const connections = await timelinesOf(name, options, context);
    const { exportSpans } = await import('../../values/export-spans.ts');
    if (options.output !== undefined) {
      const spans = connections.flatMap((one) => one.spans);
      const format = options.export === 'otlp' ? 'otlp' : 'session';
      const file = await exportSpans(spans, format, resolve(io.cwd, options.output));
      return output.result({ file, spans: spans.length }, () => `Written to ${file}.`);
    }
    const { timelineText } = await import('@crosspoint/host/timeline');
    output.result({ connections }, () =>
      connections
        .map(
          ({ name: one, spans }) => `${output.colours.bold(one)}\n${timelineText(spans, { events: options.events })}`,
        )
        .join('\n\n'),
    );
  },
});

interface KeptTimeline {
  readonly name: string;
  readonly spans: readonly TimelineSpan[];
  /** Spans that were dropped, because there were too many. */
  readonly dropped: number;
}

interface TimelineWords {
  readonly since: string | undefined;
  readonly call: string | undefined;
  readonly limit: number | undefined;
}

async function timelinesOf(
  name: string | undefined,
  { since, call, limit }: TimelineWords,
  { home, signal, held }: CommandContext,
): Promise<readonly KeptTimeline[]> {
  const records = [...(held?.list() ?? []), ...(await new KeptRecords(home.keptFolder).list())];
  const kept = records.map((record) => record.name);
  if (name !== undefined && !kept.includes(name))
    throw new CliError('usage', `There is no kept connection ${JSON.stringify(name)}.`, {
      hint: 'crosspoint ls lists them, crosspoint connect opens one.',
      mistyped: { word: name, among: kept },
    });
  const { readTime } = await import('../../values/read-time.ts');
  const params = {
    ...(since !== undefined && { since: readTime('since', since) }),
    ...(call !== undefined && { call }),
    ...(limit !== undefined && { limit: Math.floor(limit) }),
  };
  const found = await Promise.all(
    (name === undefined ? kept : [name]).map(async (one) => {
      const ofShell = held?.get(one);
      const server = ofShell ?? (await reachKept(one, home));
      if (server === undefined) return [];
      try {
        const { spans, dropped } = await server.request('timeline.query', params, { signal });
        // A shell has one host for all of its servers.
        const own = ofShell === undefined ? spans : spans.filter((span) => span.server === ofShell.name);
        return [{ name: one, spans: own, dropped }];
      } finally {
        await server.release();
      }
    }),
  );
  const connections = found.flat();
  if (call !== undefined && connections.every(({ spans }) => spans.length === 0))
    throw new CliError('usage', `There is no call, span or trace ${JSON.stringify(call)} on a kept connection.`);
  return connections;
}
