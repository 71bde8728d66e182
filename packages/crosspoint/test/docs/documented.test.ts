import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { ROOT } from './doc-blocks.ts';

const SOURCES = join(ROOT, 'packages/crosspoint/src');

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

/** Declarations whose every public member users type, with the file of each. */
const TYPED_BY_USERS: readonly (readonly [file: string, ...names: string[]])[] = [
  ['server/mcp-server.ts', 'McpServer', 'McpServerOptions'],
  ['server/server-options.ts', 'ServerOptions'],
  ['server/asking/asking-options.ts', 'AskingOptions'],
  ['server/asking/questions.ts', 'FormQuestion'],
  ['server/asking/seals/handles.ts', 'HandleOptions'],
  ['server/offering/registrations.ts', 'ToolDetails', 'ToolConfig', 'ResourceConfig', 'TemplateConfig', 'PromptConfig'],
  ['server/offering/resource-template.ts', 'ResourceTemplate', 'ResourceTemplateCallbacks'],
  ['server/offering/define-server.ts', 'ServerDefinition'],
  ['server/calls/context.ts', 'ServerContext'],
  ['server/calls/call-options.ts', 'CallOptions'],
  ['server/http/options.ts', 'McpHandlerOptions', 'SessionOptions', 'LegacySseOptions'],
  ['server/http/create-mcp-handler.ts', 'McpHandler', 'ServerNotifier'],
  ['client/client.ts', 'TransportClient'],
  ['client/client-by-address.ts', 'Client'],
  ['client/client-options.ts', 'ClientOptions', 'ClientTimeouts'],
  [
    'client/calls/request-options.ts',
    'RequestOptions',
    'CallToolOptions',
    'ListRequestOptions',
    'CacheableRequestOptions',
  ],
  ['client/connecting/connect-options.ts', 'ConnectOptions'],
  ['client/connecting/connect-by-address.ts', 'HttpTarget'],
  ['transports/stdio/client.ts', 'StdioServerParameters'],
  ['../../recording/src/record-session.ts', 'SessionWriter'],
  ['../../recording/src/read-session.ts', 'SessionFile'],
];

/** Functions, classes and members whose comment shows how they are used. */
const WITH_EXAMPLE: readonly (readonly [file: string, ...names: string[]])[] = [
  [
    'server/mcp-server.ts',
    'McpServer',
    'McpServer.registerTool',
    'McpServer.registerResource',
    'McpServer.registerPrompt',
  ],
  ['server/calls/context.ts', 'ServerContext', 'ServerContext.elicit', 'ServerContext.sample', 'ServerContext.step'],
  ['server/offering/completable.ts', 'completable'],
  ['server/offering/resource-template.ts', 'ResourceTemplate'],
  ['server/offering/define-server.ts', 'defineServer'],
  ['server/offering/define-tool.ts', 'defineTool'],
  ['server/http/create-mcp-handler.ts', 'createMcpHandler'],
  ['server/http/options.ts', 'McpHandlerOptions'],
  ['server/server-options.ts', 'ServerOptions'],
  ['transports/stdio/serve-stdio.ts', 'serveStdio'],
  ['transports/stdio/client.ts', 'StdioServerParameters'],
  ['client/client-by-address.ts', 'Client', 'Client.connect'],
  ['client/client.ts', 'TransportClient.callTool', 'TransportClient.setRequestHandler', 'TransportClient.as'],
  ['client/client-options.ts', 'ClientOptions'],
  ['client/calls/request-options.ts', 'RequestOptions.onprogress'],
  ['../../recording/src/record-session.ts', 'recordSession'],
  ['../../recording/src/read-session.ts', 'readSession'],
  ['runtime/secret.ts', 'createSecret'],
];

/** The comments of a file's declarations and of their public members, as `Name` and `Name.member`. Of overloads, the first counts. */
function commentsOf(file: string): Map<string, string | undefined> {
  const text = readFileSync(join(SOURCES, file), 'utf8');
  const { program, comments } = parseSync(file, text);
  const commentBefore = ({ start }: Node): string | undefined =>
    comments.find(({ value, end }) => value.startsWith('*') && end <= start && text.slice(end, start).trim() === '')
      ?.value;
  const found = new Map<string, string | undefined>();
  const add = (name: string, node: Node): unknown => !found.has(name) && found.set(name, commentBefore(node));
  for (const statement of program.body as unknown as Node[]) {
    const declared = statement['declaration'] as Node | null | undefined;
    const name = (declared?.['id'] as { name?: string } | undefined)?.name;
    if (!declared || name === undefined) continue;
    add(name, statement);
    const body = (declared['body'] as { body?: Node[] } | undefined)?.body ?? [];
    for (const member of declared.type === 'FunctionDeclaration' ? [] : body) {
      const key = member['key'] as { type: string; name?: string } | undefined;
      if (key?.name === undefined || key.type === 'PrivateIdentifier' || key.name === 'constructor') continue;
      if ((member['accessibility'] ?? 'public') === 'public') add(`${name}.${key.name}`, member);
    }
  }
  return found;
}

describe('the comments that editors show', () => {
  it.each(TYPED_BY_USERS)('are on every member in %s', (file, ...names) => {
    const comments = commentsOf(file);
    for (const name of names) expect(comments.has(name), name).toBe(true);
    const mine = [...comments].filter(([name]) => names.includes(name.split('.')[0] ?? ''));
    expect(mine.filter(([, comment]) => comment === undefined).map(([name]) => name)).toEqual([]);
  });

  it.each(WITH_EXAMPLE)('show how it is used in %s', (file, ...names) => {
    const comments = commentsOf(file);
    expect(names.filter((name) => !/```(?:ts|sh)\n/.test(comments.get(name) ?? ''))).toEqual([]);
  });
});
