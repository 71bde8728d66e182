import { randomUUID } from 'node:crypto';
import type { CallToolResult } from 'crosspoint/client';
import type { Json } from 'crosspoint/stores';
import { similarNames } from '../calls/similar-names.ts';
import type { CatalogueTool } from '../catalogue/catalogue.ts';
import { believedHints } from '../consent/annotations.ts';
import type { ModelInfo, ResultBlock } from '../models/model.ts';
import { asError, atOnce, orAborted } from '../values/guard.ts';
import { canonicalJson, type JsonObject } from '../values/json.ts';
import {
  cancelledWords,
  changedWords,
  failureWords,
  faultyInputWords,
  unknownOutcomeWords,
  unknownWords,
} from './call-words.ts';
import type { Journal, KeptResult, RunEntry } from './journal.ts';
import { readResult } from './read-result.ts';
import { cutContent, READ_RESULT, resultBlocks, wholeText, words } from './result-text.ts';
import { refOf, type RunState, type Use } from './run-state.ts';
import type { AgentPort, AgentView, RunCall, RunEvent } from './run.ts';

/** The parts of a run that its calls need. */
export interface CallsContext {
  readonly port: AgentPort;
  readonly state: RunState;
  readonly journal: Journal;
  readonly view: AgentView;
  readonly signal: AbortSignal;
  readonly maxCharacters: number;
  readonly goesOnAfterMs: number;
  /** Writes an entry down, then applies it. */
  record(entry: RunEntry): Promise<void>;
  emit(event: RunEvent): void;
  /** The run cannot go on. */
  fail(error: Error): void;
}

interface Outcome {
  readonly content: readonly ResultBlock[];
  readonly isError?: boolean;
  readonly server?: string | undefined;
  readonly result?: CallToolResult;
  readonly view?: Json;
}

interface CarryOptions {
  readonly info: ModelInfo;
  readonly onsent?: () => void;
}

/** The most uses of tools in one answer. */
const MOST_USES = 64;
/** The most characters of a text that is kept whole. */
const MAX_WHOLE = 4_000_000;
const MAX_REASON = 500;
/** The longest time of a timer of the runtime: 24 days. */
const LONGEST_MS = 2 ** 31 - 1;

/** Carries out the uses of tools of a run, side by side. */
export class ToolCalls {
  /** The calls of this process that have no result yet, by their id in the host. */
  readonly active: Map<string, RunCall> = new Map();
  readonly #context: CallsContext;
  readonly #background = new Map<number, Promise<void>>();

  constructor(context: CallsContext) {
    this.#context = context;
  }

  /** Resolves when every use has a result or goes on; with the numbers of those that go on. `tools` are those that the model was shown. */
  async round(uses: readonly Use[], tools: readonly CatalogueTool[], info: ModelInfo): Promise<number[]> {
    const shown = new Map(tools.map((tool) => [tool.name, tool]));
    const running = await Promise.all(
      uses.map(async (use, at) => {
        if (use.result !== undefined) return false;
        if (at >= MOST_USES) {
          const text = `At most ${MOST_USES} tools are called for one message, so this one was not. Call it again.`;
          await this.#keep(use, callOf(use), failed(text));
          return false;
        }
        return this.#begin(use, shown, info);
      }),
    );
    return uses.filter((_, at) => running[at]).map(({ number }) => number);
  }

  /** Goes on with calls of an earlier process that the model was told of. */
  again(uses: readonly Use[], tools: readonly CatalogueTool[], info: ModelInfo): void {
    const shown = new Map(tools.map((tool) => [tool.name, tool]));
    for (const use of uses) if (use.result === undefined) this.#goOn(use, this.#carryOut(use, shown, { info }));
  }

  /** Resolves when a call that went on has its result; at once when there is none. */
  async nextLate(): Promise<void> {
    if (this.#background.size > 0) await Promise.race(this.#background.values());
  }

  /** Resolves when no call runs. */
  async settled(): Promise<void> {
    await Promise.all(this.#background.values());
  }

  /** True when the use goes on. */
  async #begin(use: Use, shown: ReadonlyMap<string, CatalogueTool>, info: ModelInfo): Promise<boolean> {
    const { goesOnAfterMs } = this.#context;
    let timer: NodeJS.Timeout | undefined;
    let onsent = (): void => {};
    const late = new Promise<true>((resolve) => {
      onsent = () => {
        if (goesOnAfterMs <= LONGEST_MS) timer = setTimeout(() => resolve(true), goesOnAfterMs);
      };
    });
    const work = this.#carryOut(use, shown, { info, onsent }).finally(() => clearTimeout(timer));
    // It is listed as soon as it runs, so that an end of the run waits for it.
    this.#goOn(use, work);
    const isLate = await Promise.race([work.then(() => false), late]);
    if (!isLate) return false;
    const call = [...this.active.values()].find(({ ref }) => ref === refOf(use.number));
    if (call !== undefined) this.#context.emit({ type: 'goes-on', call });
    return use.result === undefined;
  }

  #goOn(use: Use, work: Promise<void>): void {
    const ended = work.catch((error: unknown) => this.#context.fail(asError(error)));
    const listed = ended.finally(() => this.#background.delete(use.number));
    this.#background.set(use.number, listed);
  }

  async #carryOut(use: Use, shown: ReadonlyMap<string, CatalogueTool>, options: CarryOptions): Promise<void> {
    const { block } = use;
    const { view, signal } = this.#context;
    const found = shown.get(block.name);
    const call = callOf(use, found);
    this.#context.emit({ type: 'call', call });
    const fails = (text: string): Promise<void> => this.#keep(use, call, failed(text));
    if (block.faultyInput !== undefined) return fails(faultyInputWords(block.name, block.faultyInput));
    if (block.name === READ_RESULT) return this.#read(use, call);
    if (atOnce(view.answers?.(block.name)) === true)
      return this.#keep(use, call, await orAborted(this.#viewed(use, options.info), signal));
    if (found === undefined) return fails(unknownWords(block.name, similarNames(block.name, shown.keys())));
    if (use.sent !== undefined && !this.#isRepeatable(found)) return fails(unknownOutcomeWords(block.name));
    this.active.set(call.id, call);
    try {
      await this.#call(use, call, { ...options, found });
    } finally {
      this.active.delete(call.id);
    }
  }

  async #call(use: Use, call: RunCall, options: CarryOptions & { readonly found: CatalogueTool }): Promise<void> {
    const { port, state, signal } = this.#context;
    const { found, info, onsent } = options;
    const { server } = found;
    const written: { isSent?: boolean; failure?: Error; changed?: JsonObject } = {};
    const beforeSend = async (args: JsonObject): Promise<void> => {
      if (canonicalJson(args) !== canonicalJson(call.arguments)) written.changed = args;
      await this.#context.record({ type: 'sent', use: use.number, call: call.id, server }).catch((error: unknown) => {
        throw (written.failure = asError(error));
      });
      written.isSent = true;
      onsent?.();
    };
    let outcome: Outcome;
    try {
      const result = await port.host.callTool(call.tool, call.arguments, {
        id: call.id,
        signal,
        conversation: state.conversation,
        reason: this.#reason(found),
        onprogress: (progress) => this.#context.emit({ type: 'progress', call, progress }),
        beforeSend,
      });
      outcome = { content: resultBlocks(result, info), isError: result.isError === true, server, result };
    } catch (error) {
      if (written.failure !== undefined) throw written.failure;
      // A call that was cancelled before it was sent is made when the run is resumed.
      if (signal.aborted && written.isSent !== true) return;
      const text = signal.aborted ? cancelledWords(found.name) : failureWords(error, found);
      outcome = { ...failed(text), server };
    }
    const { changed } = written;
    const content = changed === undefined ? outcome.content : [words(changedWords(changed)), ...outcome.content];
    await this.#keep(use, call, { ...outcome, content });
  }

  async #viewed(use: Use, info: ModelInfo): Promise<Outcome> {
    const { view } = this.#context;
    try {
      const result = await view.answer?.(use.block.input);
      if (result === undefined) return failed(`${use.block.name} cannot be called.`);
      const state = view.state === undefined ? undefined : (JSON.parse(JSON.stringify(view.state)) as Json);
      return {
        content: resultBlocks(result, info),
        isError: result.isError === true,
        result,
        ...(state !== undefined && { view: state }),
      };
    } catch (error) {
      return failed(`${use.block.name} failed: ${asError(error).message}`);
    }
  }

  async #read(use: Use, call: RunCall): Promise<void> {
    const { state, journal, maxCharacters: most } = this.#context;
    const { text, isError, server } = await readResult(use.block.input, { state, journal, most });
    const { length } = text;
    await this.#keep(use, call, { content: [words(text)], isError, server }, length);
  }

  /** Writes a result down; the whole text first, where the model gets a part. */
  async #keep(use: Use, call: RunCall, outcome: Outcome, characters = this.#context.maxCharacters): Promise<void> {
    const { content, isError, server, result, view } = outcome;
    const text = wholeText(content).slice(0, MAX_WHOLE);
    const isCut = text.length > characters;
    if (isCut) await this.#context.journal.keepWhole(use.number, text);
    const kept: KeptResult = {
      type: 'result',
      use: use.number,
      content: isCut ? cutContent(content, { ref: refOf(use.number), characters, whole: text.length }) : content,
      ...(isError === true && { isError }),
      ...(server !== undefined && { server }),
      ...(isCut && { whole: text.length }),
      ...(view !== undefined && { view }),
    };
    await this.#context.record(kept);
    this.#context.emit({
      type: 'result',
      call,
      content: kept.content,
      isError: isError === true,
      ...(result !== undefined && { result }),
    });
  }

  /** Calling it once more does no harm: the server says so, and is trusted. */
  #isRepeatable({ server, tool }: CatalogueTool): boolean {
    const { readOnly, idempotent } = believedHints(tool, this.#context.port.isTrusted(server));
    return readOnly || idempotent;
  }

  /** For the user who is asked: the words of the model before the call. */
  #reason({ tool, server }: CatalogueTool): string {
    const said = this.#context.state.text().trim();
    return said === ''
      ? `The model wants to call the tool ${tool.name} of the server ${server}.`
      : `The model says: ${said.slice(0, MAX_REASON)}`;
  }
}

const failed = (text: string): Outcome => ({ content: [words(text)], isError: true });

function callOf({ number, block }: Use, found?: CatalogueTool): RunCall {
  const server = found?.server;
  return {
    ref: refOf(number),
    id: randomUUID(),
    tool: block.name,
    ...(server !== undefined && server !== '' && { server }),
    arguments: block.input,
  };
}
