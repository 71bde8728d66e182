import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { CreateMessageResult } from '../../src/client/index.ts';
import { bothFamilies, linked, said, serverOf } from '../asking/linked.ts';
import { proves } from '../requirements/proves.ts';
import { LIBRARY, declared, memberComment } from './declarations.ts';

/** Names that belong to a deprecated feature, by the feature, and what the tag of each must say. */
const FEATURES = [
  { feature: 'Roots', names: /Roots?(?=$|[A-Z])/, by: 'SEP-2577', until: '2027-07-28' },
  { feature: 'Sampling', names: /Sampling|CreateMessage|ModelPreferences/, by: 'SEP-2577', until: '2027-07-28' },
  { feature: 'Logging', names: /Logging|LOG_LEVELS|SetLevel/, by: 'SEP-2577', until: '2027-07-28' },
  { feature: 'HTTP+SSE', names: /SSE|Sse/, by: 'SEP-2596', until: 'three months after that became final' },
  { feature: 'client registration', names: /registerClient|RegistrationO/, by: 'PR 2858', until: '2027-07-28' },
] as const;

/** Names that only look like one of those. */
const OTHERS: Readonly<Record<string, string>> = {
  isInsideRoots: 'any folders, whoever named them',
  withLogging: 'a log of HTTP requests',
  LoggingOptions: 'a log of HTTP requests',
  StartSSEOptions: 'a stream of Streamable HTTP',
  DEFAULT_SSE_KEEP_ALIVE_MS: 'any event stream',
  armSseKeepAlive: 'any event stream',
};

/** Members of a deprecated feature, in declarations that have others as well. */
const MEMBERS = [
  ['protocol/capabilities.d.ts', 'ClientCapabilities', 'roots', 'SEP-2577'],
  ['protocol/capabilities.d.ts', 'ClientCapabilities', 'sampling', 'SEP-2577'],
  ['protocol/capabilities.d.ts', 'ServerCapabilities', 'logging', 'SEP-2577'],
  ['protocol/sampling.d.ts', 'CreateMessageParams', 'includeContext', 'SEP-2596'],
  ['server/calls/context.d.ts', 'ServerContext', 'log', 'SEP-2577'],
  ['server/calls/context.d.ts', 'ServerContext', 'sample', 'SEP-2577'],
  ['server/calls/context.d.ts', 'ServerContext', 'listRoots', 'SEP-2577'],
  ['server/mcp-server.d.ts', 'McpServer', 'sendLoggingMessage', 'SEP-2577'],
  ['server/server.d.ts', 'Server', 'createMessage', 'SEP-2577'],
  ['server/server.d.ts', 'Server', 'listRoots', 'SEP-2577'],
  ['server/server.d.ts', 'Server', 'sendLoggingMessage', 'SEP-2577'],
  ['server/http/options.d.ts', 'McpHandlerOptions', 'legacySse', 'SEP-2596'],
  ['client/client.d.ts', 'TransportClient', 'sendRootsListChanged', 'SEP-2577'],
  ['client/client.d.ts', 'TransportClient', 'setLoggingLevel', 'SEP-2577'],
  ['client/client-options.d.ts', 'ClientOptions', 'onlog', 'SEP-2577'],
  [
    '../../authorization-server/dist/issuing/authorization-server-options.d.ts',
    'AuthorizationServerOptions',
    'registration',
    'PR 2858',
  ],
] as const;

const UNTIL = /2027-07-28|three months after that became final/;
const plain = (comment: string): string => comment.replaceAll(/\s*\n\s*\*\s*/g, ' ');

proves('M-DEP-005').describe(
  'what is deprecated says so in the types of the package, with who decided it and how long it stays',
  () => {
    const all = declared();

    it.each(FEATURES)('$feature: every name that is exported for it', ({ names, by, until }) => {
      const found = all.filter(({ name }) => names.test(name) && !Object.hasOwn(OTHERS, name));
      expect(found.length).toBeGreaterThan(1);
      const silent = found.filter(({ comment }) => {
        const tag = plain(comment).split('@deprecated')[1] ?? '';
        return !tag.includes(by) || !tag.includes(until);
      });
      expect(silent.map(({ entry, name }) => `${entry}: ${name}`)).toEqual([]);
    });

    it.each(MEMBERS)('%s: %s.%s', (file, owner, member, by) => {
      const comment = plain(memberComment(join(LIBRARY, 'dist', file), owner, member) ?? 'not found');
      const tag = comment.split('@deprecated')[1];
      expect(tag, comment).toContain(by);
      expect(tag).toMatch(UNTIL);
    });

    it('names nothing as an exception that is not there', () => {
      const names = new Set(all.map(({ name }) => name));
      expect(Object.keys(OTHERS).filter((name) => !names.has(name))).toEqual([]);
    });
  },
);

proves('M-DEP-003').describe('what is deprecated works as long as it is in the specification', () => {
  const ANSWER: CreateMessageResult = { role: 'assistant', content: { type: 'text', text: 'yes' }, model: 'm' };

  it.each(bothFamilies)('roots, sampling and logging in %s', async (revision) => {
    const server = serverOf(
      async (ctx) => {
        ctx.log('warning', 'heard', 'old');
        const [root] = await ctx.listRoots();
        const { model } = await ctx.sample({ messages: [], maxTokens: 1 });
        return said(`${root?.uri} ${model}`);
      },
      { capabilities: { logging: {} } },
    );
    const logged: unknown[] = [];
    const { client } = await linked(server, revision, {
      capabilities: { roots: {}, sampling: {} },
      onlog: ({ data }) => logged.push(data),
    });
    client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///a' }] }));
    client.setRequestHandler('sampling/createMessage', () => ANSWER);
    await client.setLoggingLevel('info');
    expect((await client.callTool({ name: 't' })).content).toEqual(said('file:///a m').content);
    // A call that asks runs again from the top, and says again what it says, in the family without a live session.
    expect(logged).toContain('heard');
    await client.close();
  });
});
