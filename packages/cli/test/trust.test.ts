import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { atTerminal, hasTerminal } from './at-terminal.ts';
import { crosspoint, DEMO } from './crosspoint.ts';

const [, command = '', script = ''] = DEMO;

/** A folder with a file of servers, one of which leaves a trace when it is started. */
function repository(home: string, env: Readonly<Record<string, string>> = { GIVEN: '${PLANTED}' }): string {
  const folder = join(home, 'repo');
  mkdirSync(folder, { recursive: true });
  const servers = {
    demo: { command, args: [script], env },
    trace: { command, args: ['-e', `require('fs').writeFileSync(${JSON.stringify(join(home, 'trace'))}, '')`] },
  };
  writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: servers }));
  return folder;
}

const PLANTED = { PLANTED: 'planted-secret-value' };

describe('crosspoint trust', () => {
  it('starts nothing of a file of the folder that is not trusted, and says how to trust it', async () => {
    const { home, run } = crosspoint();
    const cwd = repository(home);
    for (const words of [
      ['tools', 'ls', 'trace'],
      ['connect', 'trace'],
      ['show', 'trace'],
    ]) {
      const { code, error, stdout } = await run(words, { cwd, env: PLANTED });
      expect({ words, code, stdout }).toEqual({ words, code: 2, stdout: '' });
      expect(error().hint).toContain(`crosspoint trust grant ${join(cwd, '.mcp.json')}`);
    }
    expect(existsSync(join(home, 'trace'))).toBe(false);
    expect((await run(['servers', 'ls'], { cwd })).json().servers).toMatchObject([
      { trust: 'unknown' },
      { trust: 'unknown' },
    ]);
    const refused = await run(['trust', 'grant', '.mcp.json'], { cwd, env: PLANTED });
    expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('Is given values of yours: ${PLANTED}.');
    expect(refused.stderr).toMatch(/! Is given code to run|! .*code/i);
    expect(refused.stderr).not.toContain('planted-secret-value');
  });

  it('trusts one content of a file: after a change it is refused with its differences', async () => {
    const { home, run } = crosspoint();
    const cwd = repository(home);
    const [{ digest }] = (await run(['trust', 'ls'], { cwd })).json().files;
    expect((await run(['trust', 'grant', '.mcp.json', '--digest', `sha256:${'0'.repeat(64)}`], { cwd })).code).toBe(7);
    expect((await run(['trust', 'grant', '.mcp.json', '--digest', 'x'], { cwd })).code).toBe(1);
    expect((await run(['trust', 'grant', '.mcp.json', '--digest', digest], { cwd })).json()).toMatchObject({
      isTrusted: true,
    });
    const used = await run(['tools', 'call', 'demo', 'add', 'a=1', 'b=2'], { cwd, env: PLANTED });
    expect(used.json().structuredContent).toEqual({ sum: 3 });
    repository(home, { GIVEN: '${PLANTED}', API_TOKEN: 'literal-planted' });
    const changed = await run(['tools', 'ls', 'demo'], { cwd, env: PLANTED });
    expect({ code: changed.code, message: changed.error().message }).toEqual({
      code: 2,
      message: expect.stringContaining('has changed since you trusted it'),
    });
    const shown = await run(['trust', 'grant', '.mcp.json', '--yes'], { cwd });
    expect(shown.json()).toMatchObject({
      state: 'changed',
      changes: [{ server: 'demo', path: '/reach/env/API_TOKEN' }],
    });
    expect(shown.stderr).toContain('Since you trusted it:\n  demo/reach/env/API_TOKEN\n');
    expect(shown.stdout + shown.stderr).not.toContain('literal-planted');
    expect((await run(['trust', 'revoke', '.mcp.json'], { cwd })).json()).toMatchObject({ wasTrusted: true });
    expect((await run(['trust', 'ls'], { cwd })).json().files).toMatchObject([{ state: 'unknown' }]);
    const events = (await run(['audit', 'ls', '--type', 'trust'], { cwd })).json().entries;
    expect(events.map(({ event }: { event: { details: { action: string } } }) => event.details.action)).toEqual([
      'grant',
      'grant',
      'revoke',
    ]);
    expect((await run(['trust', 'grant', 'missing.json'], { cwd })).code).toBe(1);
  });

  it.skipIf(!hasTerminal)('asks at a terminal', async () => {
    const { home } = crosspoint();
    const cwd = repository(home);
    const no = await atTerminal(['trust', 'grant', '.mcp.json'], { home, cwd, typed: [['[y/N]', '']] });
    expect(no.code).toBe(2);
    const yes = await atTerminal(['trust', 'grant', '.mcp.json'], { home, cwd, typed: [['[y/N]', 'y']] });
    expect({ code: yes.code, screen: yes.screen }).toEqual({ code: 0, screen: expect.stringContaining('is trusted.') });
  });
});
