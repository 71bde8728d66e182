import type { OptionSpecs, OptionValues } from '../../grammar/command.ts';

const A_DAY = 24 * 60 * 60;

/** Options of a bridge: its two sides, who may call, and its bounds. */
export const BRIDGE_OPTIONS = {
  listen: {
    type: 'text',
    value: 'HOST:PORT[/PATH]',
    says: 'Serve clients over HTTP; PATH is /mcp when absent, port 0 is a free one. Without it: over stdin and stdout.',
  },
  stdio: { type: 'flag', says: 'Serve over stdin and stdout also where stdin is a terminal.' },
  sse: { type: 'flag', says: 'Serve also HTTP+SSE, the older transport, at /sse and /messages.' },
  'allow-host': {
    type: 'texts',
    value: 'HOST',
    says: 'A name under which clients reach it; that of --audience is allowed.',
  },
  'allow-origin': { type: 'texts', value: 'ORIGIN', says: 'Web pages that may call it.' },
  issuer: {
    type: 'text',
    value: 'URL',
    says: 'Callers bring tokens that this authorization server signed; needs --audience.',
  },
  audience: { type: 'text', value: 'URL', says: 'The address under which clients reach it, which tokens must name.' },
  scope: { type: 'texts', value: 'NAME', says: 'A scope that every token needs.' },
  introspection: { type: 'text', value: 'URL', says: 'Ask the issuer about opaque tokens here.' },
  'introspection-client': { type: 'text', value: 'ID', says: 'The name of this bridge at --introspection.' },
  'introspection-secret': { type: 'text', value: '@FILE', says: 'Its secret there: @FILE or env:VARIABLE.' },
  'token-file': {
    type: 'text',
    value: 'FILE',
    completes: 'file',
    says: 'Callers bring one of the tokens of this file; lines "NAME TOKEN".',
  },
  login: { type: 'flag', says: 'Log in at the server with OAuth when it asks for it, once for all callers.' },
  credentials: {
    type: 'text',
    value: 'FILE',
    completes: 'file',
    says: 'Where that login is kept; with the logins of crosspoint when absent.',
  },
  'max-children': {
    type: 'number',
    value: 'N',
    isWhole: true,
    least: 1,
    most: 10_000,
    says: 'Most processes of the server; 32 when absent.',
  },
  'max-children-per-caller': {
    type: 'number',
    value: 'N',
    isWhole: true,
    least: 1,
    most: 10_000,
    says: 'Most processes of one authenticated caller; 8 when absent.',
  },
  'wait-seconds': {
    type: 'number',
    value: 'N',
    isWhole: true,
    least: 0,
    most: 3600,
    says: 'How long a caller waits for a process; 10 when absent.',
  },
  stateless: {
    type: 'flag',
    says: 'The server remembers nothing of its callers: they may share connections and processes.',
  },
  concurrency: {
    type: 'text',
    value: 'WAY',
    words: ['own', 'wait'],
    says: 'A call that may ask its user something gets a process of its own, or waits for the others; own when absent.',
  },
  questions: {
    type: 'text',
    value: 'WAY',
    words: ['rounds', 'tasks'],
    says: 'How a client without a session is asked: by rounds, or in a task where it has tasks; rounds when absent.',
  },
  'park-seconds': {
    type: 'number',
    value: 'N',
    isWhole: true,
    least: 1,
    most: A_DAY,
    says: 'How long a question waits for its answer between two requests; 300 when absent.',
  },
  'max-parked': {
    type: 'number',
    value: 'N',
    isWhole: true,
    least: 0,
    most: 1_000_000,
    says: 'Most calls that wait so; 1000 when absent.',
  },
  'max-rounds': {
    type: 'number',
    value: 'N',
    isWhole: true,
    least: 1,
    most: 1000,
    says: 'Most rounds of questions in one call; 10 when absent.',
  },
  store: {
    type: 'text',
    value: 'STORE',
    says: 'Where sessions and waiting calls are kept: memory (when absent), sqlite:FILE or redis:URL.',
  },
  'key-file': {
    type: 'text',
    value: 'FILE',
    completes: 'file',
    says: 'Keys of at least 32 bytes, one a line, that seal what clients carry; the first seals.',
  },
  log: {
    type: 'text',
    value: 'LEVEL',
    words: ['quiet', 'normal', 'verbose'],
    says: 'How much is written to stderr; normal when absent.',
  },
} as const satisfies OptionSpecs;

export type BridgeValues = OptionValues<typeof BRIDGE_OPTIONS>;

/** The options among `names` that were given. */
export function givenAmong<Values extends object>(values: Values, names: readonly (keyof Values & string)[]): string[] {
  return names.filter((name) => {
    const value: unknown = values[name];
    return value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);
  });
}
