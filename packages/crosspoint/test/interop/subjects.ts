import { fileURLToPath } from 'node:url';
import { Client as ClientOne } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as TransportOne } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { Client as ClientTwo, LOG_LEVEL_META_KEY, type VersionNegotiationMode } from '@modelcontextprotocol/client';
import { StdioClientTransport as TransportTwo } from '@modelcontextprotocol/client/stdio';
import { Client, createVerdictMemory } from '../../src/client/index.ts';
import type { RevisionChoice } from '../../src/revisions/selection.ts';
import { StdioClientTransport } from '../../src/client/stdio.ts';

export function program(name: string): string {
  return fileURLToPath(new URL(`../fixtures/interop/${name}`, import.meta.url));
}

/** What happened at a client while nobody was asking. */
export interface Events {
  readonly logs: { level: string; data: unknown; logger?: string | undefined }[];
  readonly updates: string[];
  listChanges: number;
  readonly problems: Error[];
}

interface CallOptions {
  /** For this call; where the client has no better place for it, in the call's own metadata. */
  logLevel?: 'debug' | 'warning';
  signal?: AbortSignal;
  onprogress?: (progress: { progress: number; total?: number; message?: string }) => void;
}

/** The part of a client's interface that the three implementations share. */
interface SharedClient {
  listTools(): Promise<{ tools: { name: string; inputSchema: object; outputSchema?: object | undefined }[] }>;
  listResources(): Promise<{ resources: { uri: string }[] }>;
  listResourceTemplates(): Promise<{ resourceTemplates: { uriTemplate: string }[] }>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  readResource(params: { uri: string }): Promise<{ contents: object[] }>;
  getPrompt(params: { name: string; arguments?: Record<string, string> }): Promise<{ messages: object[] }>;
  complete(params: {
    ref: { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string };
    argument: { name: string; value: string };
  }): Promise<{ completion: { values: string[] } }>;
  setLoggingLevel(level: 'debug' | 'warning'): Promise<unknown>;
  getInstructions(): string | undefined;
  getServerVersion(): { name: string } | undefined;
  getNegotiatedProtocolVersion?(): string | undefined;
  close(): Promise<void>;
}

/** One of the three clients, connected to a server program. */
export interface Subject {
  readonly client: SharedClient;
  readonly events: Events;
  readonly version: string | undefined;
  /** Resolves to the result, whatever the signature of the client's own method is. */
  call(
    name: string,
    args?: Record<string, unknown>,
    options?: CallOptions,
  ): Promise<{ content?: unknown; structuredContent?: unknown; isError?: boolean | undefined }>;
  /** In the words of the family that is spoken. */
  watch(what: { uri?: string; tools?: boolean }): Promise<void>;
}

const ELICITED = { action: 'accept' as const, content: { name: 'Ada' } };
const SAMPLED = { role: 'assistant' as const, model: 'fixture', content: { type: 'text' as const, text: 'hello' } };
const ROOTS = { roots: [{ uri: 'file:///home/ada' }, { uri: 'file:///srv' }] };
const CAPABILITIES = { elicitation: {}, sampling: {}, roots: { listChanged: true } };

function newEvents(): Events {
  return { logs: [], updates: [], listChanges: 0, problems: [] };
}

/** Ours. */
export async function crosspoint(args: readonly string[], revisions: RevisionChoice = 'all'): Promise<Subject> {
  const events = newEvents();
  const client = new Client(
    { name: 'crosspoint-test', version: '1.0.0' },
    {
      capabilities: CAPABILITIES,
      revisions,
      verdicts: createVerdictMemory(),
      onproblem: (problem) => events.problems.push(problem),
      onlog: (message) => events.logs.push(message),
    },
  );
  client.setRequestHandler('elicitation/create', () => ELICITED);
  client.setRequestHandler('sampling/createMessage', () => SAMPLED);
  client.setRequestHandler('roots/list', () => ROOTS);
  client.setNotificationHandler(
    'notifications/resources/updated',
    ({ params }) => void events.updates.push(String(params?.['uri'])),
  );
  client.setNotificationHandler('notifications/tools/list_changed', () => void (events.listChanges += 1));
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [...args], stderr: 'ignore' }));
  return {
    client,
    events,
    version: client.getNegotiatedProtocolVersion(),
    call: (name, args_ = {}, options = {}) =>
      client.callTool({ name, arguments: args_ }, options) as ReturnType<Subject['call']>,
    async watch({ uri, tools }) {
      if (uri !== undefined) await client.subscribeResource({ uri });
      if (tools && client.family === 'per-request') await client.listen({ toolsListChanged: true });
    },
  };
}

/** The official SDK, first generation. */
export async function sdkOne(args: readonly string[]): Promise<Subject> {
  const events = newEvents();
  const client = new ClientOne({ name: 'sdk1-test', version: '1.0.0' }, { capabilities: CAPABILITIES });
  client.onerror = (error) => void events.problems.push(error);
  client.setRequestHandler(ElicitRequestSchema, () => ELICITED);
  client.setRequestHandler(CreateMessageRequestSchema, () => SAMPLED);
  client.setRequestHandler(ListRootsRequestSchema, () => ROOTS);
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void events.logs.push(params));
  client.setNotificationHandler(
    ResourceUpdatedNotificationSchema,
    ({ params }) => void events.updates.push(params.uri),
  );
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (events.listChanges += 1));
  const transport = new TransportOne({ command: process.execPath, args: [...args], stderr: 'ignore' });
  let version: string | undefined;
  (transport as { setProtocolVersion?: (value: string) => void }).setProtocolVersion = (value) => (version = value);
  await client.connect(transport);
  return {
    client,
    events,
    version,
    call: (name, args_ = {}, options = {}) =>
      client.callTool({ name, arguments: args_ }, undefined, options as object) as ReturnType<Subject['call']>,
    async watch({ uri }) {
      if (uri !== undefined) await client.subscribeResource({ uri });
    },
  };
}

/** The official SDK, second generation. */
export async function sdkTwo(args: readonly string[], mode?: VersionNegotiationMode): Promise<Subject> {
  const events = newEvents();
  const client = new ClientTwo(
    { name: 'sdk2-test', version: '1.0.0' },
    { capabilities: CAPABILITIES, ...(mode !== undefined && { versionNegotiation: { mode } }) },
  );
  client.onerror = (error) => void events.problems.push(error);
  client.setRequestHandler('elicitation/create', () => ELICITED);
  client.setRequestHandler('sampling/createMessage', () => SAMPLED);
  client.setRequestHandler('roots/list', () => ROOTS);
  client.setNotificationHandler('notifications/message', ({ params }) => void events.logs.push(params));
  client.setNotificationHandler(
    'notifications/resources/updated',
    ({ params }) => void events.updates.push(params.uri),
  );
  client.setNotificationHandler('notifications/tools/list_changed', () => void (events.listChanges += 1));
  await client.connect(new TransportTwo({ command: process.execPath, args: [...args], stderr: 'ignore' }));
  const isPerRequest = client.getDiscoverResult() !== undefined;
  return {
    client,
    events,
    version: client.getNegotiatedProtocolVersion(),
    call: (name, args_ = {}, { logLevel, ...options } = {}) => {
      const meta = logLevel === undefined || !isPerRequest ? {} : { _meta: { [LOG_LEVEL_META_KEY]: logLevel } };
      return client.callTool({ name, arguments: args_, ...meta }, options as object);
    },
    async watch({ uri, tools }) {
      if (!isPerRequest) {
        if (uri !== undefined) await client.subscribeResource({ uri });
      } else
        await client.listen({
          ...(uri !== undefined && { resourceSubscriptions: [uri] }),
          ...(tools && { toolsListChanged: true }),
        });
    },
  };
}
