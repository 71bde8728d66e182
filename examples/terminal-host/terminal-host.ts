import { openBrowser } from 'crosspoint/auth/node';
import { Host, describeState, visibleLine, visibleText, type HostEvent, type HostOptions } from '@crosspoint/host';
import { describeTarget, type ConfigFile, type Configuration } from '@crosspoint/host/config';
import { answerItem } from './answers.ts';
import { Commands } from './commands.ts';
import { Dialog, type DialogOptions } from './dialog.ts';

/** A host in the terminal: shows everything that servers want, and does nothing without an answer. */
export class TerminalHost {
  readonly host: Host;
  readonly #dialog: Dialog;
  readonly #commands: Commands;
  /** The question that is on the screen, and the end of it. */
  #current: { readonly id: string; readonly controller: AbortController } | undefined;

  constructor(options: HostOptions, terminal: Pick<DialogOptions, 'input' | 'output'>) {
    this.#dialog = new Dialog({
      ...terminal,
      oncommand: (line) => void this.#commands.run(line),
      complete: (line) => this.#commands.complete(line),
      oninterrupt: () => this.#interrupt(),
    });
    this.host = new Host({
      openUrl: (url) => this.#open(url),
      onproblem: ({ message }) => this.#dialog.say(`-- ${visibleText(message)}`),
      ...options,
    });
    this.#commands = new Commands(this.host, this.#dialog, () => this.quit());
    this.host.watch((event) => this.#show(event));
    this.host.inbox.watch(({ type, item }) => {
      if (type !== 'asked' && this.#current?.id === item.id) this.#current.controller.abort();
      void this.#answerNext();
    });
  }

  /** Adds the servers of a configuration, once the user has decided on files of repositories. Resolves when the user quits, or the input ends. */
  async run(configuration?: Configuration): Promise<void> {
    const over = new Promise<void>((resolve) => this.#dialog.onclose(resolve));
    this.#dialog.say(
      'A host for servers of the Model Context Protocol. Nothing happens without your answer; type help for the commands.',
    );
    void this.#begin(configuration);
    await over;
    await this.host.close();
  }

  quit(): void {
    this.#dialog.close();
  }

  async #begin(configuration?: Configuration): Promise<void> {
    for (const file of configuration?.files ?? []) if (file.scope === 'project') await this.#trust(file);
    for (const entry of configuration?.entries ?? []) this.host.servers.add(entry);
    await this.host.settled();
    this.#commands.servers();
  }

  /** A file of a repository was written by others. Nothing of it is started or filled in before the user has seen all of it. */
  async #trust(file: ConfigFile): Promise<void> {
    const { trust } = this.host;
    const state = await trust.stateOf(file);
    if (state === 'trusted') return;
    const changes = await trust.changesOf(file.file, file.entries);
    const lines = [
      `== The file ${visibleLine(file.file)} ${state === 'changed' ? 'has changed since you trusted it' : 'is not trusted yet'}. It would start:`,
      ...file.entries.flatMap(({ name, reach }) => {
        const { target, warnings } = describeTarget(reach);
        return [`   ${visibleLine(name)}: ${target}`, ...warnings.map((warning) => `   Warning: ${warning}`)];
      }),
      ...changes.map(({ server, path, before, after }) =>
        visibleLine(`   Changed: ${server} ${path}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`),
      ),
    ];
    this.#dialog.say(lines.join('\n'));
    const { signal } = new AbortController();
    if ((await this.#dialog.choose(['trust', 'refuse'], signal)) === 'trust') await trust.grant(file);
  }

  /** Questions are answered one after the other, the oldest first. */
  async #answerNext(): Promise<void> {
    const [item] = this.host.inbox.list();
    if (item === undefined || this.#current !== undefined) return;
    const controller = new AbortController();
    this.#current = { id: item.id, controller };
    try {
      const answer = await answerItem(item, this.#dialog, controller.signal);
      if (controller.signal.aborted) this.#dialog.say('The question was withdrawn.');
      else this.host.inbox.answer(item.id, answer);
    } catch (error) {
      // The question goes on waiting, and is asked again.
      this.#dialog.say(visibleText(error instanceof Error ? error.message : String(error)));
    }
    this.#current = undefined;
    void this.#answerNext();
  }

  #show(event: HostEvent): void {
    const text = textOf(event);
    if (text !== undefined) this.#dialog.say(visibleLine(`-- ${text.slice(0, 2000)}`));
  }

  /** The page is shown in a browser that this program cannot look into. It is never fetched. */
  async #open(url: URL): Promise<void> {
    const isOpen = await openBrowser(url).catch(() => false);
    this.#dialog.say(
      `${isOpen ? 'Opened in your browser' : 'Open this address in your browser'}:\n\n  ${visibleLine(url.href)}\n`,
    );
  }

  #interrupt(): void {
    const running = this.host.calls().at(-1);
    if (running === undefined) this.quit();
    else this.host.cancel(running.id);
  }
}

/** An event in one line; nothing for those that would only be noise. */
function textOf(event: HostEvent): string | undefined {
  switch (event.type) {
    case 'call':
      return `${event.call.tool}: ${event.isOver ? 'ended' : STATES[event.call.state]}`;
    case 'log':
      return `${event.server} ${event.level}: ${JSON.stringify(event.data)}`;
    case 'page':
      return event.isOver
        ? `${event.page.server}: the page is over.`
        : `${event.page.server}: waits for the page. "pages" lists it, "open" opens it again, "retry" and "cancel" are for its call.`;
    case 'definitions':
      return `${event.server} offers other things than before: ${JSON.stringify(event.changes)}`;
    case 'server':
      return event.state.status === 'connecting' ? undefined : `${event.server} ${describeState(event.state)}`;
    case 'catalogue':
    case 'stderr':
      return undefined;
  }
}

const STATES = { asking: 'you decide', running: 'running', cancelling: 'cancelling' };
