export type JsonMembers = Record<string, unknown>;
export type ListName = 'tools' | 'resources' | 'resourceTemplates' | 'prompts';

/** Where a server is: an address, or the arguments of a Node program. */
export type Place = string | readonly string[];

/** Whether an address is one of HTTP+SSE. */
export function isOldest(address: string): boolean {
  return address.endsWith('/sse');
}

/** Messages that reached a client outside of its requests, and the questions it was asked. */
export interface Seen {
  readonly asked: { readonly method: string; readonly params: unknown }[];
  readonly logs: unknown[];
  readonly updates: string[];
  readonly pagesDone: string[];
  toolChanges: number;
  readonly problems: string[];
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: unknown) => void;
}

/** A connected client of one of the three SDKs; its methods give results as the program that uses the SDK gets them. */
export interface Seat {
  /** Whether the client loses progress that arrives in one piece with what comes after it, so that only the first is certain. */
  readonly losesProgress: boolean;
  readonly seen: Seen;
  about(): Promise<unknown>;
  list(what: ListName): Promise<unknown>;
  call(name: string, args?: JsonMembers, options?: CallOptions): Promise<unknown>;
  read(uri: string): Promise<unknown>;
  get(name: string, args?: Record<string, string>): Promise<unknown>;
  complete(ref: CompletionRef, name: string, value: string): Promise<unknown>;
  /** From now on logs from this level on are wanted. */
  setLevel(level: 'debug' | 'warning'): Promise<void>;
  /** From now on changes of the tools and of this resource are wanted. */
  watch(uri: string): Promise<void>;
  unwatch(uri: string): Promise<void>;
  /** Calls a tool as a task where both sides can. `undefined`: the SDK has no way to do so over this connection. */
  task: ((name: string) => Promise<unknown>) | undefined;
  close(): Promise<void>;
}

export type CompletionRef =
  | { readonly type: 'ref/prompt'; readonly name: string }
  | { readonly type: 'ref/resource'; readonly uri: string };

export const CAPABILITIES = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  roots: { listChanged: true },
};
export const INFO = { name: 'seat', version: '1.0.0' };

const ROOTS = { roots: [{ uri: 'file:///home/ada', name: 'home' }, { uri: 'file:///srv' }] };
const POEM = { role: 'assistant' as const, model: 'poet', content: { type: 'text' as const, text: 'a poem' } };
const FIELDS: Record<string, unknown> = { name: 'Ada', colour: 'blue', topic: 'bees' };

interface Field {
  readonly type?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly oneOf?: readonly { readonly const: string }[];
}

function valueFor(name: string, field: Field): unknown {
  if (FIELDS[name] !== undefined) return FIELDS[name];
  if (field.default !== undefined) return field.default;
  if (field.enum !== undefined) return field.enum[0];
  if (field.oneOf !== undefined) return field.oneOf[0]?.const;
  if (field.type === 'string') return undefined;
  return field.type === 'boolean' ? true : undefined;
}

export function createSeen(): Seen {
  return { asked: [], logs: [], updates: [], pagesDone: [], toolChanges: 0, problems: [] };
}

/** The answers of one patient user, which depend on the question alone. */
export function answering(seen: Seen) {
  return {
    elicit(params: unknown): { action: 'accept'; content?: Record<string, never> } {
      seen.asked.push({ method: 'elicitation/create', params });
      const { requestedSchema } = params as { requestedSchema?: { properties: Record<string, Field> } };
      if (requestedSchema === undefined) return { action: 'accept' };
      const given = Object.entries(requestedSchema.properties).map(([name, field]) => [name, valueFor(name, field)]);
      const content = Object.fromEntries(given.filter(([, value]) => value !== undefined)) as Record<string, never>;
      return { action: 'accept', content };
    },
    sample(params: unknown): typeof POEM {
      seen.asked.push({ method: 'sampling/createMessage', params });
      return POEM;
    },
    roots(): typeof ROOTS {
      seen.asked.push({ method: 'roots/list', params: undefined });
      return ROOTS;
    },
  };
}
