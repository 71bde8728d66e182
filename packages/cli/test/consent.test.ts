import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openWorkplace } from '../src/place/workplace.ts';
import { homeOf } from '../src/place/home.ts';
import { crosspoint, DEMO } from './crosspoint.ts';

const CHANGING = fileURLToPath(new URL('programs/changing.mjs', import.meta.url));
const ASKER = fileURLToPath(new URL('../../host/test/programs/asker.mjs', import.meta.url));

describe('a tool that is not as it was', () => {
  it('is not called: exit 2 with the difference, until the change is accepted', async () => {
    const { home, run } = crosspoint();
    const file = join(home, 'description');
    const calls = (): number =>
      existsSync(`${file}.calls`) ? readFileSync(`${file}.calls`, 'utf8').split('\n').length - 1 : 0;
    writeFileSync(file, 'Sends a mail.');
    await run(['servers', 'add', 'mail', '--', process.execPath, CHANGING, file]);
    expect((await run(['tools', 'call', 'mail', 'send'])).code).toBe(0);
    writeFileSync(file, 'Sends a mail, and a copy to me. \u001B[31m');
    const held = await run(['tools', 'call', 'mail', 'send']);
    expect({ code: held.code, stdout: held.stdout, calls: calls() }).toEqual({ code: 2, stdout: '', calls: 1 });
    expect(held.error().message).toMatch(/Sends a mail\.[\s\S]*Sends a mail, and a copy to me\./);
    expect(held.error().message).not.toContain('\u001B');
    expect(held.error().hint).toContain('crosspoint servers accept mail');
    expect((await run(['tools', 'call', 'mail', 'send', '--accept-changes'])).code).toBe(0);
    expect((await run(['tools', 'call', 'mail', 'send'])).code).toBe(0);
    expect(calls()).toBe(3);
    writeFileSync(file, 'Deletes mails.');
    const asked = await run(['servers', 'accept', 'mail']);
    expect({ code: asked.code, stderr: asked.stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('~ send\n    /description\n'),
    });
    const accepted = await run(['servers', 'accept', 'mail', '--yes']);
    expect(accepted.json()).toMatchObject({ isAccepted: true, changes: { changed: [{ tool: 'send' }] } });
    expect((await run(['tools', 'call', 'mail', 'send'])).code).toBe(0);
  });

  it('is held on a kept connection, too, and nothing is left waiting there', async () => {
    const { run } = crosspoint();
    await run(['connect', '--as', 'ask', '--', process.execPath, ASKER]);
    expect((await run(['tools', 'call', 'ask', 'wipe', 'note=a'])).code).toBe(0);
    expect((await run(['tools', 'call', 'ask', 'rewrite'])).code).toBe(0);
    const held = await run(['tools', 'call', 'ask', 'wipe', 'note=a']);
    expect({ code: held.code, message: held.error().message }).toEqual({
      code: 2,
      message: expect.stringContaining('sends a copy away'),
    });
    expect((await run(['ls'])).json().connections[0].requests).toEqual([]);
    expect((await run(['servers', 'accept', 'ask', '--yes'])).code).toBe(0);
    expect((await run(['tools', 'call', 'ask', 'wipe', 'note=a'])).code).toBe(0);
  });

  it('is another one where another program was typed under the same name', async () => {
    const { home, run } = crosspoint();
    for (const name of ['one', 'two']) writeFileSync(join(home, name), `Is ${name}.`);
    for (const name of ['one', 'two', 'one'])
      expect((await run(['tools', 'call', 'send', '--', process.execPath, CHANGING, join(home, name)])).code).toBe(0);
    writeFileSync(join(home, 'one'), 'Is another.');
    expect((await run(['tools', 'call', 'send', '--', process.execPath, CHANGING, join(home, 'one')])).code).toBe(2);
  });

  it('a configured command that was changed by hand is started after a yes alone', async () => {
    const { home, run } = crosspoint();
    const file = join(home, 'crosspoint.json');
    await run(['servers', 'add', 'demo', ...DEMO]);
    expect((await run(['tools', 'ls', 'demo'])).code).toBe(0);
    writeFileSync(file, readFileSync(file, 'utf8').replace('"args": [', '"args": ["--no-deprecation", '));
    const held = await run(['tools', 'ls', 'demo']);
    expect({ code: held.code, message: held.error().message }).toEqual({
      code: 2,
      message: expect.stringContaining('--no-deprecation'),
    });
    expect((await run(['servers', 'accept', 'demo'])).code).toBe(2);
    expect((await run(['servers', 'accept', 'demo', '--yes'])).code).toBe(0);
    expect((await run(['tools', 'ls', 'demo'])).code).toBe(0);
    await run(['servers', 'edit', 'demo', ...DEMO]);
    expect((await run(['tools', 'ls', 'demo'])).code).toBe(0);
  });
});

describe('crosspoint policy and audit', () => {
  it('explains, denies with exit 2, checks with line and column, and tries another policy on the log', async () => {
    const { home, run } = crosspoint();
    const policy = join(home, 'policy.json');
    expect((await run(['tools', 'call', 'add', 'a=1', 'b=2', ...DEMO])).code).toBe(0);
    writeFileSync(policy, '{ "rules": [{ "effect": "deny", "tool": "add", "reason": "No sums." }] }');
    expect((await run(['policy', 'check'])).json()).toEqual({ file: policy, isManaged: false, rules: 1, problems: [] });
    const explained = await run(['policy', 'explain', 'add', 'a=1', 'b=2', ...DEMO]);
    expect(explained.json()).toMatchObject({
      effect: 'deny',
      reasons: expect.arrayContaining([expect.objectContaining({ rule: 0 })]),
    });
    expect((await run(['policy', 'explain', 'ad', ...DEMO])).error().suggestions).toEqual(['add']);
    expect((await run(['tools', 'call', 'add', 'a=1', 'b=2', ...DEMO])).code).toBe(2);
    writeFileSync(join(home, 'new.json'), '{ "default": { "call": "deny" } }');
    const dry = await run(['policy', 'dry-run', 'new.json']);
    expect(dry.json()).toMatchObject({
      different: 1,
      changed: [{ action: 'call', name: 'add', before: { effect: 'ask' }, after: { effect: 'deny' } }],
    });
    expect((await run(['policy', 'dry-run', 'new.json', '--since', '2999-01-01'])).json().different).toBe(0);
    writeFileSync(policy, '{\n  "rules": [{ "effekt": "deny" }]\n}');
    const faulty = await run(['policy', 'check']);
    expect({ code: faulty.code, problems: faulty.json().problems }).toEqual({
      code: 7,
      problems: expect.arrayContaining([expect.objectContaining({ line: 2 })]),
    });
    expect((await run(['tools', 'ls', ...DEMO])).error().hint).toContain('crosspoint policy check');
  });

  it('lists, shows, exports and verifies the log; a change is found with exit 7', async () => {
    const { home, run } = crosspoint();
    await run(['tools', 'call', 'add', 'a=1', 'b=2', ...DEMO]);
    const listed = (await run(['audit', 'ls', '--type', 'call', '--since', '1h'])).json().entries;
    expect(listed).toMatchObject([{ event: { type: 'call', details: { tool: 'add', arguments: { a: 1, b: 2 } } } }]);
    const [{ sequence, event }] = listed;
    expect((await run(['audit', 'ls', '--call', event.call])).json().entries.length).toBeGreaterThan(2);
    expect((await run(['audit', 'ls', '--limit', '2'])).json().entries).toHaveLength(2);
    expect((await run(['audit', 'show', String(sequence)])).json()).toEqual(listed[0]);
    const out = join(home, 'audit.jsonl');
    const { anchor, entries } = (await run(['audit', 'export', '--output', out])).json();
    expect(readFileSync(out, 'utf8').trimEnd().split('\n')).toHaveLength(entries + 1);
    expect((await run(['audit', 'export'])).stdout).toBe(readFileSync(out, 'utf8'));
    expect((await run(['audit', 'verify', '--anchor', anchor])).json()).toEqual({ ok: true, entries, problems: [] });
    expect((await run(['audit', 'verify', '--file', out, '--anchor', anchor])).code).toBe(0);
    expect((await run(['audit', 'verify', '--anchor', `${entries}:sha256:00`])).code).toBe(7);
    writeFileSync(out, readFileSync(out, 'utf8').replace('"add"', '"sub"'));
    const changed = await run(['audit', 'verify', '--file', out]);
    expect({ code: changed.code, ok: changed.json().ok }).toEqual({ code: 7, ok: false });
  });

  it('a policy of the machine stands in place of the own one', async () => {
    const { home } = crosspoint();
    const place = { ...homeOf({ CROSSPOINT_HOME: home }), managedPolicyFile: join(home, 'managed.json') };
    writeFileSync(place.policyFile, '{ "default": "allow" }');
    writeFileSync(place.managedPolicyFile, '{ "default": "deny" }');
    const workplace = await openWorkplace(place, { cwd: home, env: {} });
    expect(workplace.hostOptions.policy).toEqual({ default: 'deny' });
    await workplace.close();
    writeFileSync(place.managedPolicyFile, '{ "defualt": "deny" }');
    await expect(openWorkplace(place, { cwd: home, env: {} })).rejects.toThrow(/managed\.json cannot be used/);
    expect(homeOf({}, 'linux').managedPolicyFile).toBe('/etc/crosspoint/policy.json');
  });
});
