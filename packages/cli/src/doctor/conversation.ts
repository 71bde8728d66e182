import { StoredProvider } from 'crosspoint/auth';
import { Client, type ServerCapabilities } from 'crosspoint/client';
import { StdioClientTransport } from 'crosspoint/client/stdio';
import { visibleLine, visibleText, type Listing } from '@crosspoint/host';
import { loginsOf } from '../place/logins.ts';
import { VERSION } from '../version.ts';
import { bad, good, warning, type Finding } from './finding.ts';
import { isAddress, isCommand, type Patient } from './patient.ts';
import { asError, errorMessage } from '../errors/as-error.ts';

/** Milliseconds after which connecting or listing counts as slow. */
const SLOW_MS = 3000;
const CONNECT_MS = 30_000;
const MAX_SHOWN = 3;
const MAX_PROBLEMS = 20;

/** Everything that was learned by speaking with the server. */
export interface Conversation {
  readonly findings: readonly Finding[];
  /** Everything that it offers; absent where it could not be connected to. */
  readonly listing?: Listing;
}

/** Connects, and asks for everything that the server says it has. */
export async function converse(patient: Patient): Promise<Conversation> {
  const problems: Error[] = [];
  const { revisions } = patient.entry;
  const client = new Client(
    { name: 'crosspoint', version: VERSION },
    {
      timeouts: { connectMs: CONNECT_MS, idleMs: CONNECT_MS },
      onproblem: (problem) => void (problems.length < MAX_PROBLEMS && problems.push(problem)),
      ...(revisions !== undefined && { revisions }),
    },
  );
  const began = performance.now();
  try {
    await client.connect(targetOf(patient), { signal: patient.signal });
  } catch (error) {
    return { findings: [...garbage(problems), notConnected(error)] };
  }
  try {
    const connectedMs = performance.now() - began;
    const { listing, failures, listedMs } = await list(client, patient.signal);
    const facts = `${client.revision?.id ?? 'unknown'} (${client.family ?? 'unknown'} family)`;
    return {
      listing,
      findings: [
        ...garbage(problems),
        good('family', `The server speaks ${facts}.`),
        speed(connectedMs, listedMs),
        ...capabilities(client.getServerCapabilities() ?? {}, listing, failures),
      ],
    };
  } finally {
    await client.close();
  }
}

function targetOf(patient: Patient): Parameters<Client['connect']>[0] {
  if (isCommand(patient)) {
    const { command, args = [], env = {}, cwd } = patient.reach;
    const variables = Object.entries(env).map(([name, value]) => [name, value ?? undefined]);
    return new StdioClientTransport({
      command,
      args: [...args],
      env: Object.fromEntries(variables),
      stderr: 'pipe',
      ...(cwd !== undefined && { cwd }),
    });
  }
  if (!isAddress(patient)) throw new TypeError('A transport of a program cannot be examined.');
  const { url, headers, type } = patient.reach;
  const silent = {
    begin: () => Promise.resolve('http://127.0.0.1/callback'),
    visit: refuse,
    end: () => Promise.resolve(),
  };
  return {
    url,
    authProvider: new StoredProvider({
      serverUrl: url,
      clientName: 'crosspoint',
      credentials: loginsOf(patient.home),
      account: patient.entry.name,
      userAgent: silent,
    }),
    ...(headers !== undefined && { requestInit: { headers: { ...headers } } }),
    ...(type === 'sse' && { transport: 'sse' as const }),
  };
}

/** An examination sends nobody to a login page. */
function refuse(): Promise<never> {
  return Promise.reject(new Error('The server wants a login.'));
}

/** Lines on stdout that are no messages: most clients end the connection at the first. */
function garbage(problems: readonly Error[]): Finding[] {
  const lines = problems.flatMap((problem) => startOf(problem) ?? []);
  if (lines.length === 0) return [];
  const shown = lines.slice(0, MAX_SHOWN).map((line) => JSON.stringify(visibleLine(line).slice(0, 200)));
  return [
    bad(
      'family',
      `The server writes ${lines.length === 1 ? 'a line' : `${lines.length} lines`} to stdout that ${lines.length === 1 ? 'is no message' : 'are no messages'}: ${shown.join(', ')}.`,
      'Have the server write its log to stderr: stdout belongs to the protocol, and many clients end the connection at the first such line.',
    ),
  ];
}

/** The beginning of a line that was no message. */
function startOf(problem: Error): string | undefined {
  const { details } = problem as { details?: { start?: unknown } };
  return typeof details?.start === 'string' ? details.start : undefined;
}

/** Errors of connecting, by a word of theirs, with the remedy. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/exited with code|was ended by/, 'Run the command by itself in a terminal and mend what its last lines say.'],
  [/Could not start/, 'Look at the command, its working folder and its rights.'],
  [
    /revision|version|wants to speak/i,
    'Leave out --family and --revision, or update the server: it speaks no revision that is asked for.',
  ],
  [/login|401|Unauthorized/i, 'crosspoint auth login SERVER logs in.'],
  [
    /not (?:answer|there)|time|silent|within/i,
    'The server takes the connection and says nothing. Run it by itself, and look at its log.',
  ],
];

function notConnected(error: unknown): Finding {
  const { message } = asError(error);
  const remedy = REMEDIES.find(([words]) => words.test(message))?.[1] ?? 'Look at the log of the server.';
  return bad('family', visibleText(message), remedy);
}

interface Listed {
  readonly listing: Listing;
  readonly failures: readonly string[];
  readonly listedMs: number;
}

async function list(client: Client, signal: AbortSignal): Promise<Listed> {
  const began = performance.now();
  const has = client.getServerCapabilities() ?? {};
  const failures: string[] = [];
  const read = async <T>(what: string, isOffered: boolean, ask: () => Promise<readonly T[]>): Promise<readonly T[]> => {
    if (!isOffered) return [];
    return ask().catch((error: unknown) => {
      failures.push(`${what} (${visibleLine(errorMessage(error))})`);
      return [];
    });
  };
  const options = { signal };
  const [tools, prompts, resources] = await Promise.all([
    read('tools', has.tools !== undefined, async () => (await client.listTools({}, options)).tools),
    read('prompts', has.prompts !== undefined, async () => (await client.listPrompts({}, options)).prompts),
    read('resources', has.resources !== undefined, async () => (await client.listResources({}, options)).resources),
  ]);
  return { listing: { tools, prompts, resources, templates: [] }, failures, listedMs: performance.now() - began };
}

function speed(connectedMs: number, listedMs: number): Finding {
  const words = `Connected in ${Math.round(connectedMs)} ms, listed everything in ${Math.round(listedMs)} ms.`;
  if (connectedMs < SLOW_MS && listedMs < SLOW_MS) return good('speed', words);
  return warning(
    'speed',
    words,
    connectedMs >= SLOW_MS
      ? 'Hosts give up on servers that are slow to start, some after 10 s: load what is heavy when it is first used.'
      : 'Hosts list everything at the start: answer lists from memory.',
  );
}

function capabilities(
  declared: ServerCapabilities,
  { tools, prompts, resources }: Listing,
  failures: readonly string[],
): Finding[] {
  const words = `${tools.length} tools, ${prompts.length} prompts, ${resources.length} resources; it declares ${visibleLine(Object.keys(declared).join(', ') || 'nothing')}.`;
  if (failures.length > 0)
    return [
      bad(
        'capabilities',
        `The server declares what it does not answer: ${failures.join(', ')}.`,
        'Have the server answer these lists, or not declare them.',
      ),
    ];
  if (Object.keys(declared).length === 0)
    return [
      warning(
        'capabilities',
        'The server declares no capabilities, so clients ask it for nothing.',
        'Declare those that it has: tools, resources, prompts.',
      ),
    ];
  return [good('capabilities', words)];
}
