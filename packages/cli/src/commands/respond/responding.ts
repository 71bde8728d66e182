import { setTimeout as pause } from 'node:timers/promises';
import { describeItem, type InboxItem } from '@crosspoint/host';
import { ruledAnswerer, type Answerer } from '../../answering/answerer.ts';
import { openPage } from '../../answering/open-page.ts';
import type { CommandContext } from '../../context.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Ending } from '../../errors/exit-codes.ts';
import type { KeptServer } from '../../keeper/kept-server.ts';
import { keptNames, withKept } from '../../server/kept-servers.ts';
import { reachKept } from '../../server/server-opener.ts';
import { asError } from '../../errors/as-error.ts';

/** Milliseconds between two looks for connections that were opened meanwhile. */
const LOOK_MS = 250;

export interface RespondWords {
  readonly rules: string | undefined;
  readonly count: number | undefined;
}

export async function respondByRules(
  names: readonly string[],
  { rules, count = Infinity }: RespondWords,
  context: CommandContext,
): Promise<Ending | void> {
  if (rules === undefined) throw new CliError('usage', '--rules is missing: --rules FILE.');
  const answerer = await ruledAnswerer(rules);
  await withKept(context.home, names, async () => {});
  const enough = new AbortController();
  const ended = AbortSignal.any([context.signal, enough.signal]);
  const responder = new Responder(answerer, context, { signal: ended, count, enough: () => enough.abort() });
  const open = new Map<string, Promise<void>>();
  while (!ended.aborted) {
    const wanted = names.length === 0 ? await keptNames(context.home) : names;
    for (const name of wanted.filter((one) => !open.has(one))) {
      const serving = responder.serve(name).finally(() => open.delete(name));
      open.set(name, serving);
      serving.catch((error: unknown) => enough.abort(error));
    }
    await pause(LOOK_MS, undefined, { signal: ended }).catch(() => {});
  }
  await Promise.allSettled(open.values());
  if (responder.failure !== undefined) throw asError(responder.failure);
  // Ctrl-C is how it is ended; the time of --timeout is an error as for every command.
  const { reason } = context.signal as { reason?: unknown };
  if (context.signal.aborted && !(reason instanceof CliError && reason.ending === 'interrupted')) throw asError(reason);
}

interface RespondEnd {
  readonly signal: AbortSignal;
  readonly count: number;
  readonly enough: () => void;
}

/** Answers the questions of connections. */
class Responder {
  failure: unknown;
  readonly #answerer: Answerer;
  readonly #context: CommandContext;
  readonly #ending: RespondEnd;
  #answered = 0;

  constructor(answerer: Answerer, context: CommandContext, ending: RespondEnd) {
    this.#answerer = answerer;
    this.#context = context;
    this.#ending = ending;
  }

  /** Resolves when the connection has ended, or enough was answered. */
  async serve(name: string): Promise<void> {
    const server = await reachKept(name, this.#context.home);
    if (server === undefined) return;
    try {
      let last = Promise.resolve();
      await server.request(
        'requests.respond',
        {},
        {
          signal: this.#ending.signal,
          onevent: (event) => {
            if (event.type === 'question') last = last.then(() => this.#answer(event.item, server));
          },
        },
      );
      await last;
    } catch (error) {
      // A connection that is closed has nothing more to ask.
      if (!(error instanceof CliError && error.ending === 'unreachable') && !this.#ending.signal.aborted)
        this.#fail(error);
    } finally {
      await server.release();
    }
  }

  async #answer(item: InboxItem, server: KeptServer): Promise<void> {
    const { signal, count, enough } = this.#ending;
    if (this.#answered >= count) return;
    try {
      const answer = await this.#answerer(item, signal);
      if (answer === undefined) return void (await server.request('requests.pass', { id: item.id }));
      this.#answered += 1;
      const { globals, output } = this.#context;
      await openPage(item, answer, { noBrowser: globals['no-browser'], say: (text) => output.fault(text) });
      await server.request('requests.answer', { id: item.id, answer });
      const { title } = describeItem(item);
      const told = { connection: server.name, id: item.id, kind: item.kind, title, action: answer.action };
      output.item(told, () => `${server.name}: ${answer.action}: ${title}`);
      if (this.#answered >= count) enough();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.failure ??= error;
    this.#ending.enough();
  }
}
