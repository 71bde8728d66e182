import { readSession } from '@crosspoint/recording';
import { describe, expect, it } from 'vitest';
import { timelineText } from '../../src/timeline/export/timeline-text.ts';
import { toOtlp } from '../../src/timeline/export/to-otlp.ts';
import { toSession } from '../../src/timeline/export/to-session.ts';
import { flatSpans } from '../../src/timeline/query.ts';
import { timeline, type Timeline } from '../../src/timeline/timeline.ts';
import { inSpan } from '../../src/tracing/tracing.ts';

/** A run with two spans, one of which fails and has two events. */
async function recorded(): Promise<Timeline> {
  const line = timeline();
  await line.span('run', { name: 'both' }, async () => {
    await inSpan(
      'http',
      { name: 'POST a', server: 'a', status: 200, ratio: 0.5, list: ['x', 'y'], deep: { a: 1 } },
      (span) => span.event('progress', { progress: 1 }),
    );
    await inSpan('call', { name: 'a__b', server: 'a' }, (span) => {
      span.event('stderr', { line: 'out of\u2028memory' });
      throw new Error('crashed');
    }).catch(() => {});
  });
  return line;
}

interface Otlp {
  readonly resourceSpans: readonly {
    readonly resource: object;
    readonly scopeSpans: readonly { readonly spans: readonly Record<string, unknown>[] }[];
  }[];
}

describe('OTLP', () => {
  it('has the ids, parents, times, attributes, events and outcomes of the timeline', async () => {
    const spans = (await recorded()).query();
    const [run, http, call] = flatSpans(spans);
    const told = toOtlp(spans, { service: 'my-agent' }) as object as Otlp;
    expect(told.resourceSpans[0]?.resource).toEqual({
      attributes: [{ key: 'service.name', value: { stringValue: 'my-agent' } }],
    });
    const [first, second, third] = told.resourceSpans[0]?.scopeSpans[0]?.spans ?? [];
    expect(first).toMatchObject({
      traceId: run?.trace,
      spanId: run?.id,
      name: 'run both',
      kind: 1,
      status: { code: 1 },
    });
    expect(first).not.toHaveProperty('parentSpanId');
    expect(run?.trace).toMatch(/^[0-9a-f]{32}$/);
    expect(run?.id).toMatch(/^[0-9a-f]{16}$/);
    expect(second).toMatchObject({ spanId: http?.id, parentSpanId: run?.id, kind: 3 });
    expect(second?.['attributes']).toEqual(
      expect.arrayContaining([
        { key: 'http.response.status_code', value: { intValue: '200' } },
        { key: 'crosspoint.ratio', value: { doubleValue: 0.5 } },
        { key: 'crosspoint.list', value: { arrayValue: { values: [{ stringValue: 'x' }, { stringValue: 'y' }] } } },
        { key: 'crosspoint.deep', value: { stringValue: '{"a":1}' } },
      ]),
    );
    expect(third).toMatchObject({ spanId: call?.id, status: { code: 2, message: 'crashed' } });
    const nanos = (value: unknown): bigint => BigInt(String(value));
    expect(nanos(third?.['startTimeUnixNano'])).toBeGreaterThanOrEqual(nanos(second?.['endTimeUnixNano']));
    expect(nanos(first?.['endTimeUnixNano'])).toBeGreaterThanOrEqual(nanos(third?.['endTimeUnixNano']));
    expect(Number(nanos(first?.['startTimeUnixNano']) / 1_000_000n)).toBeCloseTo(Date.now(), -4);
  });

  it('ends a span that is open now, and says so', async () => {
    const line = timeline();
    let told: object = {};
    await line.span('run', {}, () => {
      told = toOtlp(line.query());
    });
    const [span] = (told as Otlp).resourceSpans[0]?.scopeSpans[0]?.spans ?? [];
    expect(span?.['status']).toEqual({});
    expect(span?.['attributes']).toContainEqual({ key: 'crosspoint.open', value: { boolValue: true } });
    expect(Number(span?.['endTimeUnixNano'])).toBeGreaterThanOrEqual(Number(span?.['startTimeUnixNano']));
  });
});

describe('a session file', () => {
  it('is read by readSession, line by line in the order of time', async () => {
    const spans = (await recorded()).query();
    const file = await readSession(toSession(spans));
    const lines = [];
    for await (const line of file) lines.push(line);
    expect(file.header).toMatchObject({ by: { name: '@crosspoint/host' }, hops: { a: {} } });
    expect(lines.map(({ kind }) => kind)).toEqual([
      'host.run',
      'host.http',
      'host.event',
      'host.call',
      'stderr',
      'end',
    ]);
    expect(lines[1]).toMatchObject({ hop: 'a', parent: spans[0]?.id, status: 'ok' });
    expect(lines[3]).toMatchObject({ error: 'crashed', status: 'failed' });
    expect(lines[4]).toMatchObject({ hop: 'a' });
    expect(file.end).toMatchObject({ isComplete: true, dropped: 0 });
    const times = lines.map(({ at }) => at);
    expect(times).toEqual([...times].sort((one, other) => one - other));
  });

  it('of nothing is a file without lines', async () => {
    const file = await readSession(toSession([]));
    for await (const line of file) expect(line.kind).toBe('end');
    expect(file.end?.isComplete).toBe(true);
  });
});

it('is text for people, each span under the one that led to it', async () => {
  const spans = (await recorded()).query();
  expect(timelineText(spans, { times: false, events: true })).toBe(
    [
      'run both',
      '  http POST a',
      '    · progress {"progress":1}',
      '  call a__b ✗ crashed',
      '    · stderr {"line":"out of\\\\u{2028}memory"}',
    ].join('\n'),
  );
  expect(timelineText(spans)).toMatch(/^run both \d+\.\d ms\n/);
});
