import type { Tool } from 'crosspoint/client';
import { KeptRecords } from '../../keeper/records.ts';
import type { Home } from '../../place/home.ts';
import type { HeldServers } from '../../server/held-servers.ts';
import type { OpenServer } from '../../server/open-server.ts';
import { reachKept } from '../../server/server-opener.ts';
import { givenNames, type Lookup } from './asked-for.ts';
import { argumentsOf } from './live-arguments.ts';

export interface CandidatePlace {
  readonly home: Home;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Servers that are open in this process. */
  readonly held?: HeldServers;
}

/** The names that fit: of kept connections, of the configuration, or of a server that is kept or held. No server is started for them. */
export async function candidates(asked: Lookup, current: string, place: CandidatePlace): Promise<readonly string[]> {
  const { home, held } = place;
  const heldNames = (held?.list() ?? []).map(({ name }) => name);
  const kept = new KeptRecords(home.keptFolder);
  const keptNames = async (): Promise<string[]> => (await kept.list()).map(({ name }) => name);
  if (asked.completes === 'kept') return [...heldNames, ...(await keptNames())];
  if (asked.completes === 'server') return [...heldNames, ...(await keptNames()), ...(await configuredNames(place))];
  const names = asked.server === undefined ? [...heldNames, ...(await keptNames())] : [asked.server];
  const found = await Promise.all(names.map((name) => ofServer(name, { asked, current }, place)));
  return found.flat();
}

async function configuredNames({ home, cwd, env }: CandidatePlace): Promise<readonly string[]> {
  const { readUserConfiguration } = await import('../../target/user-configuration.ts');
  const { entries } = await readUserConfiguration({ home, cwd, env });
  return entries.map(({ name }) => name);
}

async function ofServer(
  name: string,
  { asked, current }: { readonly asked: Lookup; readonly current: string },
  { home, signal, held }: Pick<CandidatePlace, 'home' | 'signal' | 'held'>,
): Promise<readonly string[]> {
  const server = held?.get(name) ?? (await reachKept(name, home));
  if (server === undefined) return [];
  try {
    return await namesOf(server, { asked, current }, signal);
  } finally {
    await server.release();
  }
}

async function namesOf(
  server: OpenServer,
  { asked, current }: { readonly asked: Lookup; readonly current: string },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const options = { signal };
  const typed = (completes: string | undefined, name?: string): string | undefined =>
    asked.before.find(({ spec }) => spec.completes === completes && (name ?? spec.name) === spec.name)?.word;
  switch (asked.completes) {
    case 'tool':
      return (await server.request('tools.list', {}, options)).tools.map(({ name }) => name);
    case 'prompt':
      return (await server.request('prompts.list', {}, options)).prompts.map(({ name }) => name);
    case 'resource':
      return (await server.request('resources.list', {}, options)).resources.map(({ uri }) => uri);
    case 'call':
      return (await server.request('calls.list', {}, options)).calls.map(({ id }) => id);
    case 'request':
      return (await server.request('requests.list', {}, options)).requests.map(({ id }) => id);
    case 'argument': {
      const { tools } = await server.request('tools.list', {}, options);
      return argumentWords(
        tools.find(({ name }) => name === typed('tool')),
        current,
        givenNames(asked),
      );
    }
    case 'prompt-argument':
      return argumentsOf(server, { prompt: typed('prompt') ?? '' }, { asked, current }, options);
    case 'template':
      return typed(undefined, 'kind') === 'prompt'
        ? (await server.request('prompts.list', {}, options)).prompts.map(({ name }) => name)
        : (await server.request('resources.templates', {}, options)).resourceTemplates.map((one) => one.uriTemplate);
    case 'variable': {
      const template = typed('resource') ?? typed('template') ?? '';
      const of = typed(undefined, 'kind') === 'prompt' ? { prompt: template } : { template };
      return argumentsOf(server, of, { asked, current }, options);
    }
    case 'task':
      return (await server.request('tasks.list', {}, options)).tasks.map(({ taskId }) => taskId);
    case 'file':
    case 'kept':
    case 'server':
      return [];
  }
}

/** `NAME=` for each argument, and `NAME=VALUE` for the values of one whose name is typed. */
function argumentWords(tool: Tool | undefined, current: string, given: ReadonlySet<string>): readonly string[] {
  const { properties = {} } = (tool?.inputSchema ?? {}) as { properties?: Readonly<Record<string, unknown>> };
  const [, name] = /^([^=:]+)=/.exec(current) ?? [];
  if (name !== undefined)
    return Object.hasOwn(properties, name) ? valuesOf(properties[name]).map((value) => `${name}=${value}`) : [];
  return Object.keys(properties)
    .filter((one) => !given.has(one))
    .map((one) => `${one}${isComposite(properties[one]) ? ':=' : '='}`);
}

function valuesOf(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { enum: values, type } = schema as { enum?: unknown; type?: unknown };
  if (Array.isArray(values)) return values.filter((value) => typeof value === 'string');
  return type === 'boolean' ? ['true', 'false'] : [];
}

function isComposite(schema: unknown): boolean {
  const { type } = (typeof schema === 'object' && schema !== null ? schema : {}) as { type?: unknown };
  return type === 'object' || type === 'array';
}
