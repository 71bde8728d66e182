/** The first words of the protocol's own methods. */
type Reserved =
  | 'completion'
  | 'elicitation'
  | 'initialize'
  | 'logging'
  | 'notifications'
  | 'ping'
  | 'prompts'
  | 'resources'
  | 'roots'
  | 'sampling'
  | 'server'
  | 'subscriptions'
  | 'tasks'
  | 'tools';

type TaskRequest = 'tasks/get' | 'tasks/result' | 'tasks/list' | 'tasks/cancel' | 'tasks/update';

/** Requests that a server may be sent. */
export type ServerRequestName =
  | TaskRequest
  | 'completion/complete'
  | 'initialize'
  | 'logging/setLevel'
  | 'ping'
  | 'prompts/get'
  | 'prompts/list'
  | 'resources/directory/read'
  | 'resources/list'
  | 'resources/read'
  | 'resources/subscribe'
  | 'resources/templates/list'
  | 'resources/unsubscribe'
  | 'server/discover'
  | 'subscriptions/listen'
  | 'tools/call'
  | 'tools/list';

/** Requests that a client may be sent. */
export type ClientRequestName = TaskRequest | 'elicitation/create' | 'ping' | 'roots/list' | 'sampling/createMessage';

/**
 * The name itself where it is known or not the protocol's, such as `acme/anything`. A name that begins like one of the protocol and is none, such as
 * `tools/lst`, is a mistake: it gives the known names, which the compiler then lists.
 */
export type MethodName<Name extends string, Known extends string> = Name extends Known
  ? Name
  : Name extends Reserved | `${Reserved}/${string}`
    ? Known
    : Name;
