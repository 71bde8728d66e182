import type { LoggingLevel } from 'crosspoint/client';
import {
  describeState,
  explanationText,
  findResources,
  promptCommands,
  visibleLine,
  visibleText,
  type Host,
  type JsonObject,
} from '@crosspoint/host';
import type { Dialog } from './dialog.ts';
import { readObject, shown, shownResult } from './shown.ts';

/** The commands of the terminal. */
export class Commands {
  readonly #host: Host;
  readonly #dialog: Dialog;
  readonly #table: Readonly<Record<string, Command>>;

  constructor(host: Host, dialog: Dialog, quit: () => void) {
    this.#host = host;
    this.#dialog = dialog;
    this.#table = {
      ...this.#calling(),
      ...this.#reading(),
      ...this.#deciding(),
      quit: ['quit', 'ends everything', quit],
    };
  }

  /** Carries out a line. Never rejects. */
  async run(line: string): Promise<void> {
    const [word = '', ...args] = line.split(/\s+/);
    try {
      if (word === '') return;
      if (word === 'help') this.#help();
      else if (word.startsWith('/')) await this.#prompt(word, args);
      else if (!Object.hasOwn(this.#table, word)) throw new TypeError(`There is no command ${word}. Type help.`);
      else await this.#table[word]?.[2](args, line.slice(word.length).trim());
    } catch (error) {
      this.#dialog.say(visibleText(error instanceof Error ? error.message : String(error)));
    }
  }

  /** Lines that the typed beginning can become: commands, names of tools, servers and prompts, values of a prompt's arguments. */
  async complete(line: string): Promise<readonly string[]> {
    const words = line.split(' ');
    const last = words.pop() ?? '';
    const [first = ''] = words;
    const hits = first.startsWith('/') ? await this.#values(first, last) : this.#names(first, words.length);
    return hits.filter((hit) => hit.startsWith(last)).map((hit) => visibleLine([...words, hit].join(' ')));
  }

  servers(): void {
    const lines = this.#host.servers.list().map(({ name, state }) => `${name} ${describeState(state)}`);
    this.#list(lines, 'There are no servers.');
  }

  #calling(): Record<string, Command> {
    const host = this.#host;
    return {
      servers: ['servers', 'every server and its state', () => this.servers()],
      tools: ['tools', 'every tool that the model may see', () => this.#tools()],
      // Not awaited: other commands can be typed while it runs.
      call: ['call <tool> [json]', 'calls a tool', ([name = ''], rest) => void this.#call(name, jsonAfter(rest))],
      calls: ['calls', 'the calls that run', () => this.#calls()],
      cancel: ['cancel <number>', 'cancels a call', ([number]) => void host.cancel(nth(host.calls(), number).id)],
      retry: ['retry <number>', 'cancels a call and makes it again', ([number]) => this.#retry(number)],
      pages: ['pages', 'the pages that are open in your browser', () => this.#pages()],
      open: ['open <number>', 'opens a page again', ([number]) => host.openPage(nth(host.pages(), number).id)],
      explain: [
        'explain <tool> [json]',
        'why a call would be allowed, asked or denied',
        async ([name = ''], rest) =>
          this.#dialog.say(visibleText(explanationText(await host.explain(name, jsonAfter(rest))))),
      ],
    };
  }

  #reading(): Record<string, Command> {
    const host = this.#host;
    return {
      prompts: ['prompts', 'prompts, each a command: /<prompt> [name=value …]', () => this.#prompts('')],
      resources: ['resources [words]', 'resources to pick from', (_, rest) => this.#resources(rest)],
      read: [
        'read <server> <uri>',
        'reads a resource',
        async ([server = '', uri = '']) => this.#dialog.say(shown((await host.readResource(server, uri)).contents)),
      ],
      log: [
        'log <server> <level>',
        'shows the log messages of a server from a level on',
        ([server = '', level = 'info']) => host.setLoggingLevel(server, level as LoggingLevel),
      ],
      roots: [
        'roots <server>',
        'asks again which folders a server may know',
        ([server = '']) => host.rootsChanged(server),
      ],
    };
  }

  #deciding(): Record<string, Command> {
    const host = this.#host;
    const again = ([server = '']: readonly string[]): void => {
      const found = host.servers.get(server);
      if (found === undefined) throw new TypeError(`There is no server ${server}.`);
      found.restart();
    };
    return {
      approvals: ['approvals', 'the tools that you allowed', () => this.#approvals()],
      revoke: [
        'revoke <number>',
        'takes an approval back',
        async ([number]) => {
          await host.approvals.revoke(nth(await host.approvals.list(), number).id);
          this.#dialog.say('Taken back.');
        },
      ],
      forget: [
        'forget <server>',
        'takes back everything that you allowed a server, and asks again',
        async (args) => {
          await host.forgetServer(args[0] ?? '');
          again(args);
        },
      ],
      restart: ['restart <server>', 'tries a server again', again],
      login: ['login <server>', 'begins a login again', again],
      stop: ['stop <server>', 'ends a server', ([server = '']) => host.servers.remove(server)],
      activity: ['activity', 'everything that was decided and done', () => this.#activity()],
    };
  }

  #help(): void {
    const lines = Object.values(this.#table).map(([use, about]) => `${use.padEnd(24)} ${about}`);
    this.#dialog.say(`${lines.join('\n')}\nWhile a question waits, a colon before a command carries it out: :calls`);
  }

  #tools(): void {
    const tools = this.#host.catalogue.tools().filter(({ isForModel }) => isForModel);
    this.#list(
      tools.map(
        ({ name, tool, isStale }) =>
          `${name}  ${(tool.description ?? '').slice(0, 300)}${isStale ? ' (not connected)' : ''}`,
      ),
      'The model sees no tools.',
    );
  }

  async #call(name: string, args: JsonObject): Promise<void> {
    try {
      const result = await this.#host.callTool(name, args, {
        reason: 'You typed it.',
        onprogress: ({ progress, total, message = '' }) =>
          this.#dialog.say(`-- ${name}: ${progress} of ${total ?? '?'} ${visibleLine(message)}`),
      });
      this.#dialog.say(shownResult(result));
    } catch (error) {
      this.#dialog.say(visibleText(error instanceof Error ? error.message : String(error)));
    }
  }

  #calls(): void {
    const lines = this.#host.calls().map(({ tool, state }, at) => `${at + 1}. ${tool}: ${state}`);
    this.#list(lines, 'No call runs.');
  }

  /** For a server that never says that a page is finished. */
  #retry(number: string | undefined): void {
    const { id, tool, arguments: args } = nth(this.#host.calls(), number);
    this.#host.cancel(id, 'The user tries it again.');
    void this.#call(tool, args);
  }

  #pages(): void {
    const lines = this.#host.pages().map(({ server, url }, at) => `${at + 1}. ${server}: ${url}`);
    this.#list(lines, 'No page is open.');
  }

  #prompts(typed: string): void {
    const lines = promptCommands(this.#host.catalogue.prompts(), typed).map(
      ({ command, arguments: known, ...prompt }) => {
        const names = known.map(({ name, isRequired }) => (isRequired ? `${name}=…` : `[${name}=…]`));
        return `${[command, ...names].join(' ')}  ${prompt.description || prompt.title}`;
      },
    );
    this.#list(lines, 'There is no such prompt.');
  }

  async #prompt(command: string, args: readonly string[]): Promise<void> {
    const name = command.slice(1);
    if (this.#host.catalogue.prompt(name) === undefined) return this.#prompts(name);
    this.#dialog.say(shown((await this.#host.getPrompt(name, pairsIn(args))).messages));
  }

  #resources(query: string): void {
    const found = findResources(this.#host.catalogue.resources(), { query, limit: 20 });
    const lines = found.map(
      ({ server, resource }) => `read ${server} ${resource.uri}  ${resource.title ?? resource.name}`,
    );
    this.#list(lines, 'There is no such resource.');
  }

  async #approvals(): Promise<void> {
    const lines = (await this.#host.approvals.list()).map(
      ({ server, tool, for: span, at }, index) => `${index + 1}. ${server} ${tool}: ${span}, since ${at}`,
    );
    this.#list(lines, 'You allowed nothing for longer than one call.');
  }

  async #activity(): Promise<void> {
    const lines: string[] = [];
    for await (const { at, event } of this.#host.audit.read()) {
      const { kind, action, effect, tool, name, for: span, status, uri, arguments: args } = event.details;
      const words = [event.server, event.type, kind, action, effect, tool ?? name, span, status, uri];
      const known = words.filter((word) => typeof word === 'string').join(' ');
      lines.push(`${at.slice(11, 19)} ${known} ${args === undefined ? '' : JSON.stringify(args)}`.slice(0, 300));
    }
    this.#list(lines.slice(-50), 'Nothing has happened.');
  }

  /** Shows lines that hold texts of servers. */
  #list(lines: readonly string[], none: string): void {
    this.#dialog.say(lines.length === 0 ? none : lines.map(visibleLine).join('\n'));
  }

  #names(command: string, at: number): readonly string[] {
    const { catalogue, servers } = this.#host;
    const prompts = catalogue.prompts().map(({ name }) => `/${name}`);
    if (at === 0) return [...Object.keys(this.#table), 'help', ...prompts];
    if (at > 1) return [];
    if (['call', 'explain'].includes(command)) return catalogue.tools().map(({ name }) => name);
    return this.#table[command]?.[0].includes('<server>') === true ? servers.list().map(({ name }) => name) : [];
  }

  async #values(command: string, typed: string): Promise<readonly string[]> {
    const name = command.slice(1);
    const [argument = '', value] = typed.split('=');
    if (value === undefined)
      return (this.#host.catalogue.prompt(name)?.prompt.arguments ?? []).map((known) => `${known.name}=`);
    const { values } = await this.#host.completePrompt(name, { name: argument, value });
    return values.map((found) => `${argument}=${found}`);
  }
}

/** How it is typed, what it does, and the function that does it. */
type Command = readonly [use: string, about: string, run: (args: readonly string[], rest: string) => unknown];

function nth<T>(list: readonly T[], number: string | undefined): T {
  const found = list[Number(number) - 1];
  if (found === undefined) throw new RangeError(`There is no number ${number ?? ''} in the list.`);
  return found;
}

/** The JSON behind the name of a tool; no arguments when there is none. */
const jsonAfter = (rest: string): JsonObject => readObject(rest.replace(/^\S+\s*/, ''));

const pairsIn = (args: readonly string[]): Record<string, string> =>
  Object.fromEntries(args.map((arg) => [arg.split('=')[0] ?? '', arg.slice(arg.indexOf('=') + 1)]));
