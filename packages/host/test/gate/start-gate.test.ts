import { memoryStore, type Store } from 'crosspoint/stores';
import { describe, expect, it } from 'vitest';
import type { AuditEvent } from '../../src/audit/event.ts';
import type { Origin, ServerEntry } from '../../src/config/server-entry.ts';
import type { TrustReader } from '../../src/config/trust/trust-reader.ts';
import { parsePolicy } from '../../src/consent/parse-policy.ts';
import { StartGate, identityOf } from '../../src/gate/start-gate.ts';
import type { Asks } from '../../src/inbox/item.ts';
import type { StartVerdict } from '../../src/servers/server-port.ts';

const USER: Origin = { format: 'crosspoint', scope: 'user', file: '/home/me/mcp.json' };
const files = (more: Partial<ServerEntry> = {}): ServerEntry => ({
  name: 'files',
  reach: { type: 'stdio', command: 'npx', args: ['files-server'] },
  origin: USER,
  ...more,
});

interface Gate {
  readonly gate: StartGate;
  readonly asked: unknown[][];
  readonly reasons: string[];
  readonly written: AuditEvent[];
  start(entry: ServerEntry): Promise<StartVerdict>;
}

function gateWith({
  policy = {},
  answer = 'allow',
  trust = 'trusted',
  store = memoryStore(),
}: { policy?: unknown; answer?: string; trust?: string; store?: Store } = {}): Gate {
  const asked: unknown[][] = [];
  const reasons: string[] = [];
  const written: AuditEvent[] = [];
  const parsed = parsePolicy(policy);
  const gate = new StartGate({
    store,
    asks: { ask: async (...all: unknown[]) => (asked.push(all), { action: answer }) } as unknown as Asks,
    audit: { write: (event: AuditEvent) => void written.push(event) } as never,
    trust: { stateOf: async () => trust } as unknown as TrustReader,
    policy: () => parsed,
  });
  const { signal } = new AbortController();
  return {
    gate,
    asked,
    reasons,
    written,
    start: (entry) => gate.mayStart(entry, { signal, onasking: (reason) => void reasons.push(reason) }),
  };
}

const ALLOWED = { isAllowed: true };

describe('the start of a server', () => {
  it('is asked for the first time, with the whole command, and not again', async () => {
    const at = gateWith();
    expect(await at.start(files())).toEqual(ALLOWED);
    const reason = 'The server "files" is to be started for the first time.';
    expect(at.reasons).toEqual([reason]);
    const [kind, question, from, options] = at.asked[0] ?? [];
    expect([kind, from]).toEqual(['start', { server: 'files', reason }]);
    expect(question).toMatchObject({ target: expect.stringContaining('npx files-server') as string, isChanged: false });
    expect(options).toEqual({ signal: expect.any(AbortSignal) as AbortSignal });
    expect(await at.start(files())).toEqual(ALLOWED);
    expect(at.asked).toHaveLength(1);
    expect(at.written).toMatchObject([
      { type: 'decision', server: 'files', details: { action: 'start', effect: 'ask', isTrusted: false } },
      { details: { action: 'start' } },
    ]);
  });

  it('is asked again when the command has changed, and after it was forgotten', async () => {
    const at = gateWith();
    await at.start(files());
    const other = files({ reach: { type: 'stdio', command: 'npx', args: ['files-server', '--evil'] } });
    expect(await at.start(other)).toEqual(ALLOWED);
    expect(at.reasons[1]).toBe('The command or address of the server "files" has changed since you allowed it.');
    expect(at.asked[1]?.[1]).toMatchObject({ isChanged: true });
    await at.gate.forget('another');
    await at.start(other);
    expect(at.asked).toHaveLength(2);
    await at.gate.forget('files');
    await at.start(other);
    expect(at.reasons[2]).toMatch(/first time/);
  });

  it('is remembered by server: another one with the same command is asked for', async () => {
    const at = gateWith();
    await at.start(files());
    await at.start(files({ name: 'other' }));
    expect(at.asked).toHaveLength(2);
  });

  it('that the user refuses is refused, and asked again', async () => {
    const store = memoryStore();
    const refusing = gateWith({ answer: 'deny', store });
    expect(await refusing.start(files())).toEqual({ isAllowed: false, reason: 'The user did not allow it.' });
    await refusing.start(files());
    expect(refusing.reasons[1]).toMatch(/first time/);
    expect(await store.count('')).toBe(0);
  });

  it('goes by the policy: denied without a question, also where it was allowed before; allowed without one', async () => {
    const store = memoryStore();
    await gateWith({ store }).start(files());
    const denying = gateWith({ policy: { rules: [{ effect: 'deny', action: 'start', name: 'npx *' }] }, store });
    expect(await denying.start(files())).toEqual({ isAllowed: false, reason: 'The policy denies it.' });
    const allowing = gateWith({ policy: { rules: [{ effect: 'allow', action: 'start', server: 'files' }] } });
    expect(await allowing.start(files())).toEqual(ALLOWED);
    expect([denying.asked, allowing.asked]).toEqual([[], []]);
  });

  it('of a server of the program is allowed, unless a rule says otherwise', async () => {
    const own = files({ origin: { format: 'program', scope: 'program' } });
    const at = gateWith({ policy: { default: 'deny' } });
    expect(await at.start(own)).toEqual(ALLOWED);
    expect(at.written[0]?.details['isOwn']).toBe(true);
    expect(await at.start(files())).toMatchObject({ isAllowed: false });
    expect(at.written[1]?.details).not.toHaveProperty('isOwn');
    const strict = gateWith({ policy: { rules: [{ effect: 'deny', action: 'start' }] } });
    expect(await strict.start(own)).toMatchObject({ isAllowed: false });
  });

  it.each([
    ['untrusted', 'The file /repo/.mcp.json belongs to a repository and is not trusted.'],
    ['changed', 'The file /repo/.mcp.json has changed since it was trusted.'],
  ])('of a file of a repository that is %s is refused, whatever the policy says', async (trust, reason) => {
    const policy = { rules: [{ effect: 'allow', action: 'start' }] };
    const entry = files({ origin: { format: 'claude-code', scope: 'project', file: '/repo/.mcp.json' } });
    const at = gateWith({ policy, trust });
    expect(await at.start(entry)).toEqual({ isAllowed: false, reason });
    expect(at.written).toEqual([]);
    expect(await gateWith({ policy }).start(entry)).toEqual(ALLOWED);
    // Trust is asked for files of repositories alone.
    expect(await at.start(files())).toEqual(ALLOWED);
    const nameless = files({ origin: { format: 'claude-code', scope: 'project' } });
    expect(await at.start(nameless)).toMatchObject({ reason: expect.stringContaining('its file') as string });
  });

  it('of a trusted server is told as such to the rules', async () => {
    const at = gateWith();
    await at.start(files({ isTrusted: true }));
    expect(at.written[0]?.details).toMatchObject({ isTrusted: true, influencedBy: [], arguments: {} });
  });
});

describe('the identity of a server', () => {
  it('is its command or address, or the name of one that the program connects', () => {
    const one = identityOf(files());
    expect(identityOf(files({ name: 'other' }))).toBe(one);
    expect(identityOf(files({ reach: { type: 'http', url: 'https://a.example/' } }))).not.toBe(one);
    const open = (): never => {
      throw new Error('not here');
    };
    expect(identityOf(files({ reach: { type: 'transport', open } }))).toBe('program:files');
  });
});
