import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { crosspoint, DEMO } from './crosspoint.ts';

describe('crosspoint timeline', () => {
  it('shows what led to what on a kept connection, by time and by call, and exports it', async () => {
    const { home, run } = crosspoint();
    await run(['connect', '--as', 'demo', ...DEMO]);
    await run(['tools', 'call', 'demo', 'add', 'a=1', 'b=2']);
    const [{ name, spans, dropped }] = (await run(['timeline'])).json().connections;
    expect({ name, dropped }).toEqual({ name: 'demo', dropped: 0 });
    const call = spans.find(({ kind }: { kind: string }) => kind === 'call');
    expect(call).toMatchObject({
      name: 'demo__add',
      facts: { arguments: { a: 1, b: 2 } },
      children: expect.any(Array),
    });
    const text = (await run(['timeline', 'demo', '--text'])).stdout;
    expect(text).toMatch(/call demo__add .* ms\n {2}decision ask call \[demo\].*\n[\s\S]*request tools\/call \[demo\]/);
    const { event } = (await run(['audit', 'ls', '--type', 'call'])).json().entries[0];
    for (const id of [event.call, call.id, call.trace])
      expect((await run(['timeline', '--call', id])).json().connections[0].spans).toMatchObject([{ id: call.id }]);
    expect((await run(['timeline', '--call', 'nothing'])).code).toBe(1);
    const later = (await run(['timeline', 'demo', '--since', '2999-01-01'])).json().connections[0].spans;
    expect(later.map(({ kind }: { kind: string }) => kind)).toEqual(['server']);
    expect((await run(['timeline', 'dem'])).error()).toMatchObject({ exitCode: 1, suggestions: ['demo'] });
    const otlp = join(home, 'trace.json');
    await run(['timeline', '--export', 'otlp', '--output', otlp]);
    expect(JSON.parse(readFileSync(otlp, 'utf8')).resourceSpans).toHaveLength(1);
    expect(statSync(otlp).mode & 0o777).toBe(0o600);
    expect((await run(['timeline', '--export', 'otlp'])).code).toBe(1);
  });

  it('is written for one call where --timeline names a file', async () => {
    const { home, run } = crosspoint();
    const file = join(home, 'call.jsonl');
    expect((await run(['tools', 'call', 'fail', '--timeline', file, ...DEMO])).code).toBe(5);
    const lines = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ kind: 'session', format: 'crosspoint-session' });
    expect(lines.map(({ kind }) => kind)).toContain('host.call');
  });
});
