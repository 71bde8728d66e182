import { readFileSync } from 'node:fs';
import { flatSpans, timelineText, toOtlp, toSession } from '@crosspoint/host/timeline';
import { readSession } from '@crosspoint/recording';
import { beforeAll, describe, expect, it } from 'vitest';
import { agentRun } from '../timeline/agent-run.mjs';
import { drawTrace } from '../timeline/draw.mjs';

let spans;
let secrets;
let run;
beforeAll(async () => {
  const made = await agentRun();
  spans = made.timeline.query({ limit: 1000 });
  secrets = made.secrets;
  [run] = made.timeline.query({ kinds: ['run'] });
});

describe('the timeline of an agent over three servers', () => {
  it('has a parent for every span but the first of each trace', () => {
    const all = flatSpans(spans);
    const ids = new Set(all.map(({ id }) => id));
    expect(all.filter(({ parent }) => parent !== undefined && !ids.has(parent))).toEqual([]);
    const roots = all.filter(({ parent }) => parent === undefined).map(({ kind }) => kind);
    expect(new Set(roots)).toEqual(new Set(['server', 'run']));
    expect(all.filter(({ status }) => status === 'open')).toEqual([]);
  });

  it('has the question, the task, the login, the model, the crash and the restart under the calls of the run', () => {
    const call = (name, at = 0) => run.children.filter((span) => span.kind === 'call' && span.name === name)[at];
    const under = (span) => flatSpans([span]).map(({ kind, name }) => `${kind} ${name}`);
    expect(under(call('notes__unlock'))).toEqual(expect.arrayContaining(['asked elicitation/create', 'question form']));
    expect(under(call('reports__quarter'))).toContain('request tasks/get');
    expect(call('notes__archive')).toMatchObject({ status: 'failed' });
    expect(under(call('notes__archive'))).toContain('restart notes');
    expect(call('notes__archive').events.map(({ facts }) => facts.line)).toContain('out of memory');
    expect(under(call('reports__summary', 1))).toContain('model sampling');
    expect(under(call('crm__note'))).toEqual(expect.arrayContaining(['login crm', 'question login']));
    expect(under(run).filter((name) => name === 'model scripted-model')).toHaveLength(9);
    const logged = flatSpans([call('crm__note')]).flatMap(({ events }) => events.map(({ name }) => name));
    expect(logged.filter((name) => name === 'log')).toHaveLength(4);
  });

  it('holds none of the secrets that were planted or made on the way, in any form', async () => {
    expect(Object.keys(secrets).length).toBeGreaterThanOrEqual(28);
    const file = toSession(spans);
    const forms = {
      query: JSON.stringify(spans),
      text: timelineText(spans, { events: true }),
      otlp: JSON.stringify(toOtlp(spans)),
      session: file,
      picture: drawTrace(run),
    };
    for (const [form, text] of Object.entries(forms))
      for (const [place, secret] of Object.entries(secrets))
        expect(text.includes(secret), `${form}: ${place}`).toBe(false);
    // The places themselves are there: nothing is missing because nothing was told.
    for (const word of [
      'searching with',
      'unlocked with',
      'the key is',
      'cloned with',
      'files.example',
      'invalid x-api-key',
    ])
      expect(forms.query).toContain(word);
    const kinds = [];
    for await (const { kind } of await readSession(file)) kinds.push(kind);
    expect(kinds).toEqual(expect.arrayContaining(['host.run', 'host.call', 'host.login', 'host.restart', 'stderr']));
  });

  it('is the picture in the documentation', () => {
    const picture = readFileSync(new URL('../../docs/pictures/timeline.svg', import.meta.url), 'utf8');
    const labels = (svg) => new Set([...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, label]) => label));
    const words = (svg) => [...labels(svg)].filter((label) => !/^\d+$|spans/.test(label)).sort();
    expect(words(drawTrace(run))).toEqual(words(picture));
    expect(picture).not.toMatch(/127\.0\.0\.1|redacted|\/home|\/root/);
  });
});
