import { describe, expect } from 'vitest';
import type { Bench } from './bench.ts';
import { failureOf, featureCase, parseLines, testCase } from './subject.ts';

const META = 'io.modelcontextprotocol/';

export function openingCases(bench: Bench): void {
  const { subject } = bench;
  const handshake = subject.family === 'handshake';

  describe('opening', () => {
    testCase(
      subject,
      'L-LIFECYCLE-007, L-LIFECYCLE-009, L-LIFECYCLE-014, L-LIFECYCLE-015',
      'settles on the revision and its family',
      async () => {
        expect(bench.client.getNegotiatedProtocolVersion()).toBe(subject.revision);
        expect(bench.client.family).toBe(subject.family);
      },
    );

    testCase(
      subject,
      'L-LIFECYCLE-001, L-LIFECYCLE-002, L-LIFECYCLE-003, L-LIFECYCLE-004, L-LIFECYCLE-030, M-DISC-001, M-DISC-002, M-BASE-019',
      'opens in the words of its family',
      async () => {
        const [first, second, third] = parseLines(bench.shared.lines);
        if (handshake) {
          expect(first).toMatchObject({
            sent: true,
            message: {
              method: 'initialize',
              params: {
                protocolVersion: subject.revision,
                capabilities: {},
                clientInfo: { name: 'suite-client', version: '4.5.6' },
              },
            },
          });
          expect(second).toMatchObject({
            sent: false,
            message: {
              result: {
                protocolVersion: subject.revision,
                capabilities: {},
                serverInfo: { name: 'suite', version: '1.2.3' },
              },
            },
          });
          expect(third).toEqual({ sent: true, message: { jsonrpc: '2.0', method: 'notifications/initialized' } });
        } else {
          expect(first).toMatchObject({
            sent: true,
            message: {
              method: 'server/discover',
              params: { _meta: { [`${META}protocolVersion`]: subject.revision, [`${META}clientCapabilities`]: {} } },
            },
          });
          expect(second).toMatchObject({
            sent: false,
            message: {
              result: {
                resultType: 'complete',
                supportedVersions: [subject.revision],
                capabilities: {},
                ttlMs: 0,
                cacheScope: 'private',
              },
            },
          });
        }
      },
    );

    featureCase(
      subject,
      'titles',
      { ids: 'L-LIFECYCLE-031', title: 'names the server with its title' },
      {
        has: async () =>
          expect(bench.client.getServerVersion()).toMatchObject({
            name: 'suite',
            version: '1.2.3',
            title: 'The Suite',
          }),
        lacks: async () => expect(bench.client.getServerVersion()).toEqual({ name: 'suite', version: '1.2.3' }),
      },
    );

    featureCase(
      subject,
      'icons',
      { ids: 'L-LIFECYCLE-032', title: 'names the server with its web site' },
      {
        has: async () => expect(bench.client.getServerVersion()).toMatchObject({ websiteUrl: 'https://example.com' }),
        lacks: async () => expect(bench.client.getServerVersion()).not.toHaveProperty('websiteUrl'),
      },
    );

    testCase(
      subject,
      'L-LIFECYCLE-018, L-LIFECYCLE-020, L-TOOLS-001, L-RESOURCES-001, L-PROMPTS-001, L-LOGGING-001, M-DISC-006, M-TOOL-001, M-RES-001, M-LOG-001',
      'declares a capability for every feature',
      async () => {
        expect(bench.client.getServerCapabilities()).toMatchObject({
          tools: { listChanged: true },
          resources: { listChanged: true, subscribe: true },
          prompts: { listChanged: true },
          logging: {},
          experimental: { 'example/thing': {} },
        });
      },
    );

    featureCase(
      subject,
      'completions capability',
      { ids: 'L-COMPLETION-001', idsWithout: 'L-COMPLETION-002, L-SCHEMA-014', title: 'declares completions' },
      {
        has: async () => expect(bench.client.getServerCapabilities()?.completions).toEqual({}),
        lacks: async () => expect(bench.client.getServerCapabilities()).not.toHaveProperty('completions'),
      },
    );

    testCase(subject, 'L-LIFECYCLE-021', 'gives instructions, and accepts a server without any', async () => {
      expect(bench.client.getInstructions()).toBe('Handle with care.');
      expect((await bench.bare()).client.getInstructions()).toBeUndefined();
    });

    testCase(
      subject,
      'L-LIFECYCLE-002, M-BASE-019, M-BASE-020',
      'tells every handler who calls and what the client can do',
      async () => {
        const seen = JSON.parse(await bench.call('whoami')) as Record<string, any>;
        expect(seen).toMatchObject({
          version: subject.revision,
          family: subject.family,
          client: { name: 'suite-client', version: '4.5.6' },
        });
        expect(Object.keys(seen['capabilities'] as object)).toEqual(expect.arrayContaining(['roots', 'sampling']));
        expect('elicitation' in seen['capabilities']).toBe(!handshake || subject.cannot.elicitation === undefined);
      },
    );

    testCase(subject, 'L-LIFECYCLE-033', 'keeps one connection for each client', async () => {
      const { client, close } = await bench.connect('bare');
      const { transport } = bench.client;
      expect(transport).toBeDefined();
      expect((await failureOf(client.connect(transport!))).message).toContain('already connected');
      await close();
      expect(client.getNegotiatedProtocolVersion()).toBeUndefined();
      expect(bench.client.getNegotiatedProtocolVersion()).toBe(subject.revision);
    });

    featureCase(
      subject,
      'ping',
      { ids: 'L-PING-001', title: 'answers a ping of the client with an empty result' },
      {
        has: async () => expect(await bench.client.ping()).toEqual({}),
        lacks: async () => {
          expect((await failureOf(bench.client.request({ method: 'ping' }))).code).toBe(-32601);
          expect(await bench.client.ping()).toEqual({});
          expect(parseLines(bench.shared.lines).some(({ message }) => message['method'] === 'ping')).toBe(false);
        },
      },
    );

    featureCase(
      subject,
      'ping',
      { ids: 'L-PING-001, L-PING-002', title: 'answers a ping of the server with an empty result' },
      {
        has: async () => expect(await bench.call('ping-client')).toBe('{}'),
        lacks: async () => expect((await failureOf(bench.call('ping-client'))).code).toBe(-32603),
      },
    );

    testCase(
      subject,
      'L-LIFECYCLE-016, L-LIFECYCLE-017, L-MESSAGES-002, L-TOOLS-008, L-COMPLETION-007, M-DISC-006, M-ERR-013',
      'refuses the methods of features a server does not have',
      async () => {
        const { client } = await bench.bare();
        expect(client.getServerCapabilities()).toEqual({});
        for (const method of ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list']) {
          expect((await failureOf(client.request({ method }))).code).toBe(-32601);
        }
        expect((await failureOf(client.callTool({ name: 'add' }))).code).toBe(-32601);
        expect((await failureOf(client.readResource({ uri: 'memo://static' }))).code).toBe(-32601);
        expect((await failureOf(client.getPrompt({ name: 'plain' }))).code).toBe(-32601);
        expect(
          (
            await failureOf(
              client.complete({ ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'a', value: '' } }),
            )
          ).code,
        ).toBe(-32601);
      },
    );

    testCase(subject, '', 'takes a list that a server does not have for empty, unless asked to be strict', async () => {
      const lenient = await bench.bare();
      expect((await lenient.client.listTools()).tools).toEqual([]);
      const strict = await bench.connect('bare', { enforceStrictCapabilities: true });
      expect((await failureOf(strict.client.listTools())).code).toBe(-32601);
    });

    featureCase(
      subject,
      'listen streams',
      { ids: 'M-DISC-001', title: 'keeps what the server said when it was discovered' },
      {
        has: async () =>
          expect(bench.client.getDiscoverResult()).toMatchObject({ supportedVersions: [subject.revision] }),
        lacks: async () => {
          expect(bench.client.getDiscoverResult()).toBeUndefined();
          expect((await failureOf(bench.client.discover())).code).toBe(-32601);
        },
      },
    );
  });
}
