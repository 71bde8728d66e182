/** Capabilities that the methods of a client need, as v1 checks them. */
import type { ClientCapabilities, ServerCapabilities } from '../../types.ts';

const SERVER_FEATURES: Readonly<Record<string, keyof ServerCapabilities>> = {
  'logging/setLevel': 'logging',
  'prompts/get': 'prompts',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resources',
  'resources/read': 'resources',
  'resources/subscribe': 'resources',
  'resources/unsubscribe': 'resources',
  'tools/call': 'tools',
  'tools/list': 'tools',
  'completion/complete': 'completions',
};

const CLIENT_FEATURES: Readonly<Record<string, keyof ClientCapabilities>> = {
  'sampling/createMessage': 'sampling',
  'elicitation/create': 'elicitation',
  'roots/list': 'roots',
  'tasks/get': 'tasks',
  'tasks/list': 'tasks',
  'tasks/result': 'tasks',
  'tasks/cancel': 'tasks',
};

const featureOf = <F>(features: Readonly<Record<string, F>>, method: string): F | undefined =>
  Object.hasOwn(features, method) ? features[method] : undefined;

/** Throws when the server has not declared what the request needs. */
export function assertServerSupports(capabilities: ServerCapabilities | undefined, method: string): void {
  const feature = featureOf(SERVER_FEATURES, method);
  if (feature !== undefined && !capabilities?.[feature])
    throw new Error(`Server does not support ${feature} (required for ${method})`);
  if (method === 'resources/subscribe' && capabilities?.resources?.subscribe !== true)
    throw new Error(`Server does not support resource subscriptions (required for ${method})`);
}

/** Throws when the client has not declared what a handler of the method needs. */
export function assertClientAnswers(capabilities: ClientCapabilities, method: string): void {
  const feature = featureOf(CLIENT_FEATURES, method);
  if (feature !== undefined && !capabilities[feature])
    throw new Error(`Client does not support ${feature} capability (required for ${method})`);
}

/** Throws when the client has not declared what the notification needs. */
export function assertClientTells(capabilities: ClientCapabilities, method: string): void {
  if (method === 'notifications/roots/list_changed' && capabilities.roots?.listChanged !== true)
    throw new Error(`Client does not support roots list changed notifications (required for ${method})`);
}
