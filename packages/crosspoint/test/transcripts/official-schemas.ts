import * as v1 from '@modelcontextprotocol/sdk/types.js';
import { specTypeSchemas } from '@modelcontextprotocol/server';

export type Kind = 'request' | 'notification' | 'result' | 'message';

interface Checked {
  readonly issues?: readonly unknown[] | undefined;
}

/** Definition names by method, as both official packages and the published schemas have them. */
export const DEFINITIONS: Readonly<Record<string, string>> = {
  initialize: 'Initialize',
  ping: 'Ping',
  'server/discover': 'Discover',
  'subscriptions/listen': 'SubscriptionsListen',
  'tools/list': 'ListTools',
  'tools/call': 'CallTool',
  'resources/list': 'ListResources',
  'resources/templates/list': 'ListResourceTemplates',
  'resources/read': 'ReadResource',
  'resources/subscribe': 'Subscribe',
  'resources/unsubscribe': 'Unsubscribe',
  'prompts/list': 'ListPrompts',
  'prompts/get': 'GetPrompt',
  'completion/complete': 'Complete',
  'logging/setLevel': 'SetLevel',
  'roots/list': 'ListRoots',
  'sampling/createMessage': 'CreateMessage',
  'elicitation/create': 'Elicit',
  'notifications/initialized': 'Initialized',
  'notifications/cancelled': 'Cancelled',
  'notifications/progress': 'Progress',
  'notifications/message': 'LoggingMessage',
  'notifications/tools/list_changed': 'ToolListChanged',
  'notifications/prompts/list_changed': 'PromptListChanged',
  'notifications/resources/list_changed': 'ResourceListChanged',
  'notifications/resources/updated': 'ResourceUpdated',
  'notifications/roots/list_changed': 'RootsListChanged',
  'notifications/subscriptions/acknowledged': 'SubscriptionsAcknowledged',
};

const handshakeSchemas: ReadonlyMap<string, unknown> = new Map(Object.entries(v1));
const perRequestSchemas: ReadonlyMap<string, unknown> = new Map(Object.entries(specTypeSchemas));

const EMPTY: ReadonlySet<string> = new Set([
  'ping',
  'resources/subscribe',
  'resources/unsubscribe',
  'logging/setLevel',
]);

/** Core tasks. The extension has methods of the same names, which are in no schema of the revision. */
const TASK_DEFINITIONS: Readonly<Record<string, string>> = {
  'tasks/get': 'GetTask',
  'tasks/result': 'GetTaskPayload',
  'tasks/list': 'ListTasks',
  'tasks/cancel': 'CancelTask',
  'notifications/tasks/status': 'TaskStatus',
};

/** The name of the definition that a message of this kind and method must fit, or `undefined` for methods that are the program's own. */
export function definitionName(kind: Kind, method: string, hasTasks: boolean): string | undefined {
  if (kind === 'result' && EMPTY.has(method)) return 'EmptyResult';
  const base = DEFINITIONS[method] ?? (hasTasks ? TASK_DEFINITIONS[method] : undefined);
  if (base === undefined) return undefined;
  return `${base}${kind === 'request' ? 'Request' : kind === 'notification' ? 'Notification' : 'Result'}`;
}

/** What the official packages' own runtime schemas say against a value; `undefined` where they have no such schema. */
export function officialIssues(
  family: 'handshake' | 'per-request',
  name: string,
  value: unknown,
): readonly unknown[] | undefined {
  const schema = family === 'handshake' ? handshakeSchemas.get(`${name}Schema`) : perRequestSchemas.get(name);
  if (schema === undefined) return undefined;
  const checked = (schema as { '~standard': { validate(input: unknown): Checked } })['~standard'].validate(value);
  return checked.issues ?? [];
}
