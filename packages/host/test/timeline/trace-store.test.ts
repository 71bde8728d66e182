import { describe, expect, it } from 'vitest';
import { TraceStore, type SpanRecord } from '../../src/timeline/trace-store.ts';

let time = 0;
const add = (store: TraceStore, parent?: SpanRecord, name = 'one', facts = {}): SpanRecord | undefined =>
  store.add({ kind: 'call', name, server: undefined, startedAt: (time += 1), links: [], facts }, parent);
const ended = (store: TraceStore, parent?: SpanRecord, name?: string): SpanRecord | undefined => {
  const span = add(store, parent, name);
  if (span !== undefined) store.end(span, (time += 1), undefined);
  return span;
};

/** Every span that is kept has its parent, and the counts are right. */
function check(store: TraceStore): void {
  const all = [...store.all()];
  for (const { parent } of all) if (parent !== undefined) expect(store.get(parent)).toBeDefined();
  expect(store.size.spans).toBe(all.length);
  expect(store.size.bytes).toBe(all.reduce((sum, { bytes }) => sum + bytes, 0));
  for (const span of all) expect(span.children).toBe(all.filter(({ parent }) => parent === span.id).length);
}

describe('the spans that are kept', () => {
  it('are dropped by whole traces, the one that was used longest ago first, and counted', () => {
    const store = new TraceStore({ maxSpans: 16, maxBytes: 1e6 });
    const roots = Array.from({ length: 8 }, (_, at) => {
      const root = add(store, undefined, `root ${at}`);
      ended(store, root);
      if (root !== undefined) store.end(root, (time += 1), undefined);
      return root;
    });
    // The first is used again, so the second is the oldest.
    ended(store, roots[0]);
    expect(roots.map((root) => store.get(root?.id) !== undefined)).toEqual([
      true,
      false,
      ...Array.from({ length: 6 }, () => true),
    ]);
    expect(store.dropped).toEqual({ traces: 1, spans: 2, events: 0 });
    check(store);
  });

  it('of traces that are open outlive those that have ended', () => {
    const store = new TraceStore({ maxSpans: 4, maxBytes: 1e6 });
    const open = add(store);
    for (let at = 0; at < 20; at += 1) ended(store);
    expect(store.get(open?.id)).toBe(open);
    expect(store.size.spans).toBe(4);
    check(store);
  });

  it('of one trace are at most a quarter, so a busy server pushes nothing else out', () => {
    const store = new TraceStore({ maxSpans: 400, maxBytes: 1e7 });
    const quiet = ended(store);
    const busy = add(store, undefined, 'busy');
    for (let at = 0; at < 5000; at += 1) ended(store, ended(store, busy));
    expect(store.size.spans).toBeLessThanOrEqual(101);
    expect(store.get(quiet?.id)).toBe(quiet);
    expect(store.dropped.traces).toBe(0);
    expect(store.size.spans + store.dropped.spans).toBe(10_002);
    check(store);
  });

  it('are not added to a trace that is full of open ones', () => {
    const store = new TraceStore({ maxSpans: 40, maxBytes: 1e6 });
    const root = add(store);
    const made = Array.from({ length: 20 }, () => add(store, root));
    expect(made.filter((span) => span !== undefined)).toHaveLength(9);
    expect(store.dropped.spans).toBe(11);
    check(store);
  });

  it('take no more bytes than allowed, whatever servers say', () => {
    const store = new TraceStore({ maxSpans: 1000, maxBytes: 100_000 });
    const text = 'x'.repeat(3000);
    for (let trace = 0; trace < 10; trace += 1) {
      const root = add(store, undefined, 'root', { text });
      if (root === undefined) throw new Error('There is no span.');
      for (let at = 0; at < 100; at += 1) {
        store.addEvent(root, { name: 'stderr', at, facts: { line: text } });
        store.change(root, { name: text, facts: { text: text.repeat(at) } });
      }
      expect(store.size.bytes).toBeLessThanOrEqual(100_000);
    }
    expect(store.dropped.events).toBeGreaterThan(0);
    check(store);
  });

  it('keep their newest events', () => {
    const store = new TraceStore({ maxSpans: 10, maxBytes: 1e7 });
    const span = add(store);
    if (span === undefined) throw new Error('There is no span.');
    for (let at = 0; at < 1000; at += 1) store.addEvent(span, { name: 'log', at, facts: {} });
    expect(span.events).toHaveLength(128);
    expect(span.events.at(-1)?.at).toBe(999);
    expect(span.droppedEvents).toBe(872);
    check(store);
  });

  it('are nested to a bounded depth', () => {
    const store = new TraceStore({ maxSpans: 10_000, maxBytes: 1e8 });
    let span = add(store);
    for (let at = 0; at < 2000; at += 1) span = add(store, span);
    expect(Math.max(...[...store.all()].map(({ depth }) => depth))).toBe(64);
    check(store);
  });

  it('begin a trace where the parent was dropped', () => {
    const store = new TraceStore({ maxSpans: 2, maxBytes: 1e6 });
    const gone = add(store);
    add(store);
    add(store);
    expect(store.get(gone?.id)).toBeUndefined();
    const child = add(store, gone);
    expect(child?.parent).toBeUndefined();
    // The end of a span that is no longer kept changes no count.
    if (gone !== undefined) store.end(gone, 1, 'late');
    check(store);
  });
});
