import { described } from '../../runtime/described.ts';

/** A registration as a program without types may have written it. */
interface Registration {
  readonly name: unknown;
  readonly config: unknown;
  readonly callback: unknown;
}

const EXAMPLES = {
  tool: ["registerTool('add', { description: '…' }, handler)", 'registerTool'],
  prompt: ["registerPrompt('review', { description: '…' }, handler)", 'registerPrompt'],
  resource: ["registerResource('config', 'config://app', { description: '…' }, handler)", 'registerResource'],
} as const;

/** Throws for a registration in which something is missing or in another place, with the whole call as it should be. */
export function checkRegistration(kind: keyof typeof EXAMPLES, { name, config, callback }: Registration): void {
  const [example, method] = EXAMPLES[kind];
  const fault = (what: string): TypeError => new TypeError(`${what}: ${example}.`);
  if (typeof name !== 'string' || name === '')
    throw fault(`${method} needs a name as its first argument, not ${name === '' ? 'an empty one' : described(name)}`);
  if (typeof config === 'function')
    throw fault(`The ${kind} "${name}" needs a configuration before its handler, which may be {}`);
  if (typeof config !== 'object' || config === null)
    throw fault(`The configuration of the ${kind} "${name}" is an object, not ${described(config)}`);
  if (typeof callback !== 'function')
    throw fault(`The ${kind} "${name}" needs a handler as the last argument: a function, not ${described(callback)}`);
}
