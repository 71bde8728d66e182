import { skillsExtension } from '@crosspoint/skills/client';
import { apps } from '@crosspoint/apps/client';
import { McpServer, text } from 'crosspoint/server';
import { registerAppTool } from '@crosspoint/apps/server';
import { memorySkillFiles, SkillCatalog } from '@crosspoint/skills/server';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { proves } from '../../../crosspoint/test/requirements/proves.ts';
import { ViewBridge } from '../../src/apps/view-bridge.ts';
import { viewOfHost } from '../../src/apps/view-of-host.ts';
import { HostSkills } from '../../src/skills/host-skills.ts';
import type { JsonObject } from '../../src/values/json.ts';
import { answering, closeHosts, inProcess, openHost } from './opened.ts';

afterEach(closeHosts);

describe('a view of a server', () => {
  const weather = (): McpServer => {
    const server = new McpServer({ name: 'weather', version: '1.0.0' });
    registerAppTool(server, 'refresh', { _meta: { ui: { visibility: ['app'] } } }, () => text('10 degrees'));
    registerAppTool(server, 'alarm', { _meta: { ui: { visibility: ['model'] } } }, () => text('done'));
    return server;
  };

  proves('M-APP-011').it('calls the tools of its own server alone, after the user agreed', async () => {
    const host = openHost({
      servers: { weather: inProcess(weather()), other: inProcess(weather()) },
      extensions: [apps],
    });
    const asked = answering(host, 'call', () => ({ action: 'allow' }));
    await host.settled();
    const sent: JsonObject[] = [];
    const hostInfo = { name: 'host', version: '1' };
    const bridge = new ViewBridge(
      viewOfHost(host, 'weather', { hostInfo, send: (message) => void sent.push(message) }),
    );
    const answerTo = (id: number): Promise<JsonObject> =>
      vi.waitFor(() => {
        const found = sent.find((message) => message['id'] === id);
        expect(found).toBeDefined();
        return found as JsonObject;
      });
    const appInfo = { name: 'view', version: '1' };
    bridge.receive({
      jsonrpc: '2.0',
      id: 1,
      method: 'ui/initialize',
      params: { appInfo, appCapabilities: {}, protocolVersion: '2026-01-26' },
    });
    await answerTo(1);
    bridge.receive({ jsonrpc: '2.0', method: 'ui/notifications/initialized' });
    const call = (id: number, name: string): Promise<JsonObject> => {
      bridge.receive({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: {} } });
      return answerTo(id);
    };
    expect(await call(2, 'refresh')).toMatchObject({ result: { content: [{ text: '10 degrees' }] } });
    expect(await call(3, 'alarm')).toMatchObject({ error: { code: -32602 } });
    expect(await call(4, 'other__refresh')).toMatchObject({ error: {} });
    expect(asked.map(({ from }) => [from.server, from.call?.tool])).toEqual([['weather', 'weather__refresh']]);
    bridge.close();
  });
});

describe('skills of servers', () => {
  it('are listed without reading a file, and loaded on demand', async () => {
    const server = new McpServer({ name: 'teacher', version: '1.0.0' });
    const files = { 'greeting/SKILL.md': '---\nname: greeting\ndescription: How to greet.\n---\n# Greet politely\n' };
    (await SkillCatalog.load(memorySkillFiles(files))).attach(server);
    const host = openHost({ servers: { teacher: inProcess(server) }, extensions: [{ extension: skillsExtension }] });
    await host.settled();
    const skills = new HostSkills(host);
    const { skills: found, problems } = await skills.list();
    expect(problems).toEqual([]);
    expect(found).toMatchObject([{ server: 'teacher', skill: { frontmatter: { name: 'greeting' } } }]);
    const [first] = found;
    if (first === undefined) throw new Error('there is no skill');
    expect(JSON.stringify(await skills.load(first))).toContain('Greet politely');
    const read: unknown[] = [];
    for await (const { event } of host.audit.read({ type: 'skill' })) read.push(event.details['uri']);
    expect(read).toEqual([first.skill.uri]);
  });
});

describe('icons of servers', () => {
  it('are read from data: and from the own origin of a server, and from nowhere else', async () => {
    const host = openHost({ servers: { one: inProcess(new McpServer({ name: 'one', version: '1' })) } });
    const pixel =
      'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    expect(await host.icon('one', { src: pixel })).toMatchObject({ type: 'image/png', width: 1, height: 1 });
    await expect(host.icon('one', { src: 'https://tracker.example/pixel.png' })).rejects.toThrow(
      /refused|not loaded|origin/i,
    );
    await expect(host.icon('one', { src: 'javascript:alert(1)' })).rejects.toThrow('only https: and data:');
  });
});
