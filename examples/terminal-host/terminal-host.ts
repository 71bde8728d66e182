import type { Readable, Writable } from 'node:stream';
import {
  Host,
  describeState,
  explanationText,
  findResources,
  promptCommands,
  visibleLine,
  visibleText,
  type HostEvent,
  type HostOptions,
  type InboxItem,
  type JsonObject,
} from '@crosspoint/host';
import { answerItem } from './answers.ts';
import { Dialog } from './dialog.ts';

const HELP = `servers                      every server and its state
tools                        every tool that the model may see
call <tool> [json]           calls a tool
calls, cancel <number>       the calls that run; cancels one
explain <tool> [json]        why a call would be allowed, asked or denied
prompts, /<prompt> [k=v …]   prompts as commands
resources [words]            resources to pick from
read <server> <uri>          reads one
log <server> <level>         shows the log messages of a server from this level on
approvals, revoke <number>   what you allowed; takes one back
restart <server>             tries a server again, also after a login that you cancelled
activity                     what was decided and done
help, quit`;

/** A host in the terminal: shows everything that servers want, and does nothing without an answer. */
export class TerminalHost {
  readonly host: Host;
  readonly #dialog: Dialog;
  readonly #waiting: InboxItem[] = [];
  readonly #commands: Readonly<Record<string, (args: readonly string[], rest: string) => unknown>>;
  #current: { readonly id: string; readonly controller: AbortController } | undefined;
  #ended: () => void = () => {};

  constructor(options: HostOptions, input: Readable, output: Writable) {
    this.#dialog = new Dialog(input, output, (line) => void this.#run(line));
    this.host = new Host({ openUrl: (url) => this.#open(url), ...options });
    this.host.watch((event) => this.#show(event));
    this.host.inbox.watch((change) => {
      if (change.type === 'asked') this.#waiting.push(change.item);
      else if (this.#current?.id === change.item.id) this.#current.controller.abort();
      void this.#answerNext();
    });
    this.#commands = this.#table();
  }

  /** Resolves when the user quits. */
  async run(): Promise<void> {
    this.#dialog.say(
      'A host for servers of the Model Context Protocol. Nothing happens without your answer. Type help for the commands.',
    );
    const over = new Promise<void>((resolve) => (this.#ended = resolve));
    this.#dialog.onclose(() => this.#ended());
    await this.host.settled();
    this.#servers();
    this.#dialog.ready();
    await over;
    this.#dialog.close();
    await this.host.close();
  }

  #table(): Readonly<Record<string, (args: readonly string[], rest: string) => unknown>> {
    const { host } = this;
    return {
      help: () => this.#dialog.say(HELP),
      servers: () => this.#servers(),
      tools: () => this.#tools(),
      call: ([name = ''], rest) => void this.#call(name, rest),
      calls: () => this.#calls(),
      cancel: ([number]) =>
        host.cancel(host.calls()[Number(number) - 1]?.id ?? '') || this.#dialog.say('There is no such call.'),
      explain: async ([name = ''], rest) =>
        this.#dialog.say(explanationText(await host.explain(name, argumentsIn(rest)))),
      prompts: () => this.#prompts(''),
      resources: (_, rest) => this.#resources(rest),
      read: async ([server = '', uri = '']) => this.#dialog.say(show(await host.readResource(server, uri))),
      log: ([server = '', level = 'info']) => host.setLoggingLevel(server, level as 'info'),
      approvals: () => this.#approvals(),
      revoke: async ([number]) => {
        const approval = (await host.approvals.list())[Number(number) - 1];
        this.#dialog.say(
          approval && (await host.approvals.revoke(approval.id)) ? 'Taken back.' : 'There is no such approval.',
        );
      },
      restart: ([server = '']) => host.servers.get(server)?.restart() ?? undefined,
      activity: () => this.#activity(),
      quit: () => this.#ended(),
    };
  }

  async #run(line: string): Promise<void> {
    const [word = '', ...args] = line.split(/\s+/);
    const rest = line.slice(word.length).trim();
    try {
      if (word.startsWith('/')) await this.#prompt(word.slice(1), args);
      else if (word !== '')
        await (this.#commands[word] ?? (() => this.#dialog.say(`There is no command ${word}. Type help.`)))(args, rest);
    } catch (error) {
      this.#dialog.say(visibleText(String(error)));
    }
    this.#dialog.ready();
  }

  /** Questions are answered one after the other, the oldest first. */
  async #answerNext(): Promise<void> {
    const item = this.#current === undefined ? this.#waiting.shift() : undefined;
    if (item === undefined) return;
    if (this.host.inbox.get(item.id) !== undefined) {
      const controller = new AbortController();
      this.#current = { id: item.id, controller };
      const answer = await answerItem(item, this.#dialog, controller.signal);
      try {
        if (!controller.signal.aborted) this.host.inbox.answer(item.id, answer);
      } catch (error) {
        this.#dialog.say(visibleText(String(error)));
        this.#waiting.unshift(item);
      }
      if (controller.signal.aborted) this.#dialog.say('The question was withdrawn.');
      this.#current = undefined;
    }
    void this.#answerNext();
    this.#dialog.ready();
  }

  #show(event: HostEvent): void {
    if (event.type === 'call') {
      const { tool, state } = event.call;
      this.#dialog.say(`-- ${tool}: ${event.isOver ? 'ended' : state}`);
    } else if (event.type === 'log')
      this.#dialog.say(`-- ${event.server} ${event.level}: ${visibleLine(show(event.data))}`);
    else if (event.type === 'definitions')
      this.#dialog.say(
        `-- ${event.server} offers other things than when it was first seen: ${visibleLine(show(event.changes))}`,
      );
    else if (event.type === 'server' && event.state.status !== 'connecting')
      this.#dialog.say(`-- ${event.server} ${visibleLine(describeState(event.state))}`);
  }

  #servers(): void {
    for (const { name, state } of this.host.servers.list())
      this.#dialog.say(`${name} ${visibleLine(describeState(state))}`);
  }

  #tools(): void {
    for (const { name, tool } of this.host.catalogue.tools())
      this.#dialog.say(`${name}  ${visibleLine(tool.description ?? '')}`);
  }

  async #call(name: string, rest: string): Promise<void> {
    try {
      const result = await this.host.callTool(name, argumentsIn(rest), {
        reason: 'You typed it.',
        onprogress: ({ progress, total, message = '' }) =>
          this.#dialog.say(`-- ${name}: ${progress}/${total ?? '?'} ${visibleLine(message)}`),
      });
      this.#dialog.say(`${result.isError === true ? 'The tool failed: ' : ''}${show(result)}`);
    } catch (error) {
      this.#dialog.say(visibleText(String(error)));
    }
    this.#dialog.ready();
  }

  #calls(): void {
    for (const [index, { tool, state }] of this.host.calls().entries())
      this.#dialog.say(`${index + 1}. ${tool}: ${state}`);
  }

  #prompts(typed: string): void {
    for (const { command, title, arguments: known } of promptCommands(this.host.catalogue.prompts(), typed))
      this.#dialog.say(
        `${command} ${known.map(({ name, isRequired }) => (isRequired ? `${name}=…` : `[${name}=…]`)).join(' ')}  ${title}`,
      );
  }

  async #prompt(name: string, args: readonly string[]): Promise<void> {
    if (this.host.catalogue.prompt(name) === undefined) return this.#prompts(name);
    const pairs = args.map((arg) => [arg.split('=')[0] ?? '', arg.slice(arg.indexOf('=') + 1)] as const);
    this.#dialog.say(show(await this.host.getPrompt(name, Object.fromEntries(pairs))));
  }

  #resources(query: string): void {
    for (const { server, resource } of findResources(this.host.catalogue.resources(), { query, limit: 20 }))
      this.#dialog.say(`read ${server} ${visibleLine(resource.uri)}  ${visibleLine(resource.title ?? resource.name)}`);
  }

  async #approvals(): Promise<void> {
    for (const [index, { server, tool, for: span, at }] of (await this.host.approvals.list()).entries())
      this.#dialog.say(`${index + 1}. ${server} ${tool}: ${span}, since ${at}`);
  }

  async #activity(): Promise<void> {
    for await (const { sequence, event } of this.host.audit.read())
      if (event.type !== 'server')
        this.#dialog.say(
          `${sequence}. ${event.type} ${event.server ?? ''} ${visibleLine(JSON.stringify(event.details)).slice(0, 120)}`,
        );
  }

  /** The example opens nothing by itself: the user does, in a browser that the program cannot look into. */
  #open(url: URL): void {
    this.#dialog.say(`Open this address in your browser:\n\n  ${url.href}\n`);
  }
}

const show = (value: unknown): string => visibleText(JSON.stringify(value, undefined, 2) ?? '');

/** The JSON behind the name of a tool; no arguments when there is none. */
function argumentsIn(rest: string): JsonObject {
  const json = rest.replace(/^\S+\s*/, '');
  return json === '' ? {} : (JSON.parse(json) as JsonObject);
}
