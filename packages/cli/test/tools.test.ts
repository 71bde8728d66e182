import { describe, expect, it } from 'vitest';
import { crosspoint, DEMO } from './crosspoint.ts';

describe('crosspoint tools', () => {
  it('lists and calls the tools of a command', async () => {
    const { run } = crosspoint();
    const listed = await run(['tools', 'ls', ...DEMO]);
    expect(listed.json().tools.map(({ name }: { name: string }) => name)).toContain('add');
    const called = await run(['tools', 'call', 'add', 'a=2', 'b=40', ...DEMO]);
    expect(called.code).toBe(0);
    expect(called.json().structuredContent).toEqual({ sum: 42 });
  });

  it('never runs a mistyped tool: it names similar ones and exits with 1', async () => {
    const { run } = crosspoint();
    const { code, stdout, error } = await run(['tools', 'call', 'ad', 'a=2', 'b=40', ...DEMO]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(error()).toMatchObject({ ending: 'usage', suggestions: ['add'] });
  });

  it('refuses a wrong number, and sends nothing in its place', async () => {
    const { run } = crosspoint();
    for (const word of ['a=two', 'a=1e999', 'a=9007199254740993', 'a:=NaN', 'a=']) {
      const { code, stdout } = await run(['tools', 'call', 'add', word, 'b=40', ...DEMO]);
      expect({ word, code, stdout }).toEqual({ word, code: 1, stdout: '' });
    }
  });

  it('exits with 5 when the tool failed', async () => {
    const { run } = crosspoint();
    const { code, json } = await run(['tools', 'call', 'fail', ...DEMO]);
    expect(code).toBe(5);
    expect(json().isError).toBe(true);
  });
});

describe('a kept connection', () => {
  it('is used by the next commands, and leaves nothing behind when it is closed', async () => {
    const { run } = crosspoint();
    expect((await run(['connect', '--as', 'demo', ...DEMO])).json()).toMatchObject({
      name: 'demo',
      revision: '2026-07-28',
    });
    expect((await run(['tools', 'call', 'demo', 'add', 'a=1', 'b=2'])).json().structuredContent).toEqual({ sum: 3 });
    expect((await run(['ls'])).json().connections).toMatchObject([{ name: 'demo' }]);
    expect((await run(['close', 'demo'])).json()).toEqual({ closed: ['demo'] });
    expect((await run(['ls'])).json()).toEqual({ connections: [] });
  });

  it('keeps a question that nobody answers, with exit code 8', async () => {
    const { run } = crosspoint();
    await run(['connect', '--as', 'demo', ...DEMO]);
    const { code, error } = await run(['tools', 'call', 'demo', 'welcome']);
    expect({ code, ending: error().ending }).toEqual({ code: 8, ending: 'unanswered' });
    expect((await run(['ls'])).json().connections[0].requests).toHaveLength(1);
  });
});
