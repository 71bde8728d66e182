/** Capabilities that a server has to declare, as v1 checks them and in its words. */
import type { ServerCapabilities } from 'crosspoint';

const HANDLED: Readonly<Record<string, readonly [keyof ServerCapabilities, string]>> = {
  'completion/complete': ['completions', 'completions'],
  'logging/setLevel': ['logging', 'logging'],
  'prompts/get': ['prompts', 'prompts'],
  'prompts/list': ['prompts', 'prompts'],
  'resources/list': ['resources', 'resources'],
  'resources/templates/list': ['resources', 'resources'],
  'resources/read': ['resources', 'resources'],
  'tools/call': ['tools', 'tools'],
  'tools/list': ['tools', 'tools'],
  'tasks/get': ['tasks', 'tasks capability'],
  'tasks/list': ['tasks', 'tasks capability'],
  'tasks/result': ['tasks', 'tasks capability'],
  'tasks/cancel': ['tasks', 'tasks capability'],
};

const TOLD: Readonly<Record<string, readonly [keyof ServerCapabilities, string]>> = {
  'notifications/message': ['logging', 'logging'],
  'notifications/resources/updated': ['resources', 'notifying about resources'],
  'notifications/resources/list_changed': ['resources', 'notifying about resources'],
  'notifications/tools/list_changed': ['tools', 'notifying of tool list changes'],
  'notifications/prompts/list_changed': ['prompts', 'notifying of prompt list changes'],
};

function assertDeclared(needed: typeof HANDLED, capabilities: ServerCapabilities, method: string): void {
  const found = Object.hasOwn(needed, method) ? needed[method] : undefined;
  if (found !== undefined && !capabilities[found[0]])
    throw new Error(`Server does not support ${found[1]} (required for ${method})`);
}

/** Throws when the server has not declared what a handler of the method needs. */
export function assertServerAnswers(capabilities: ServerCapabilities, method: string): void {
  assertDeclared(HANDLED, capabilities, method);
}

/** Throws when the server has not declared what the notification needs. */
export function assertServerTells(capabilities: ServerCapabilities, method: string): void {
  assertDeclared(TOLD, capabilities, method);
}
