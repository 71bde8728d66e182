import { Host, ServerUnavailableError, type AnswerTo, type InboxItem, type QuestionKind } from '@crosspoint/host';
import { agent } from '@crosspoint/host/agent';
import type { InputDefinition, ServerEntry } from '@crosspoint/host/config';
import { modelSampling, type ModelProvider } from '@crosspoint/host/models';
import { ToolSearch, ToolView } from '@crosspoint/host/search';
import type { AnswersInOrder } from '../../answering/in-order.ts';
import type { CommandContext } from '../../context.ts';
import { CliError } from '../../errors/cli-error.ts';
import { cliErrorOf } from '../../errors/cli-error-of.ts';
import type { TargetWords } from '../../grammar/command.ts';
import { openWorkplace, type Workplace } from '../../place/workplace.ts';
import { forgetOther, refuseUntrusted } from '../../server/admission.ts';
import type { OpenServer } from '../../server/open-server.ts';
import { reachKept } from '../../server/server-opener.ts';
import { usable } from '../../server/usable.ts';
import { findTarget } from '../../target/find-target.ts';
import { keptEntry } from './kept-as-server.ts';

export interface ChatServers {
  /** Names, addresses and files. */
  readonly words: readonly string[];
  /** The command after "--". */
  readonly target: TargetWords | undefined;
}

export interface ChatModel {
  readonly provider: ModelProvider;
  readonly model: string;
  readonly system: string | undefined;
  readonly rounds: number | undefined;
  readonly tokens: number | undefined;
}

interface Found {
  readonly entry: ServerEntry;
  readonly inputs: readonly InputDefinition[];
}

/** A host with several servers and a model, for one conversation. */
export class ChatHost {
  readonly host: Host;
  readonly #workplace: Workplace;
  readonly #kept: readonly OpenServer[];

  private constructor(host: Host, workplace: Workplace, kept: readonly OpenServer[]) {
    this.host = host;
    this.#workplace = workplace;
    this.#kept = kept;
  }

  /** Connects to every server. Rejects with the reason where one of them cannot be used; nothing is left running then. */
  static async open(
    servers: ChatServers,
    model: ChatModel,
    answers: AnswersInOrder,
    context: CommandContext,
  ): Promise<ChatHost> {
    const kept: OpenServer[] = [];
    const workplace = await openWorkplace(context.home, {
      cwd: context.io.cwd,
      env: context.io.env,
      onproblem: ({ message }) => context.output.note(message),
      // A page is opened by the one who answers the question about it.
      openUrl: () => {},
    });
    let host: Host | undefined;
    try {
      const found = await findServers(servers, answers, context, kept);
      host = new Host({
        ...workplace.hostOptions,
        inputs: found.flatMap(({ inputs }) => inputs),
        agent: agentOf(model),
        sampling: modelSampling({ providers: [model.provider] }),
      });
      answerInbox(host, answers);
      for (const { entry } of found) await admit(entry, { host, workplace }, context.signal);
      return new ChatHost(host, workplace, kept);
    } catch (error) {
      await host?.close();
      await workplace.close();
      for (const server of kept) await server.release();
      throw cliErrorOf(error);
    }
  }

  async close(): Promise<void> {
    await this.host.close();
    await this.#workplace.close();
    for (const server of this.#kept) await server.release();
  }
}

function agentOf({ provider, model, system, rounds, tokens }: ChatModel): ReturnType<typeof agent> {
  return agent({
    models: [provider],
    model,
    system,
    budget: { rounds, tokens },
    view: (host, state) => new ToolView(new ToolSearch(host), { state }),
  });
}

async function admit(
  entry: ServerEntry,
  { host, workplace }: { readonly host: Host; readonly workplace: Workplace },
  signal: AbortSignal,
): Promise<void> {
  await refuseUntrusted(entry, workplace.store);
  await forgetOther(entry, workplace.store);
  try {
    await usable(host, host.servers.add(entry), signal);
  } catch (error) {
    if (!(error instanceof ServerUnavailableError)) throw error;
    throw cliErrorOf(error);
  }
}

/** Questions of the servers and about the calls of the model. A server that was typed is started without one, unless it has changed. */
function answerInbox(host: Host, answers: AnswersInOrder): void {
  const give = async ({ id }: InboxItem, answer: AnswerTo<QuestionKind>): Promise<void> =>
    host.inbox.answer(id, answer);
  host.inbox.watch(({ type, item }) => {
    if (type !== 'asked') answers.over(item.id);
    else if (item.kind === 'start' && !item.question.isChanged) host.inbox.answer(item.id, { action: 'allow' });
    else answers.asked(item, give);
  });
}

async function findServers(
  { words, target }: ChatServers,
  answers: AnswersInOrder,
  context: CommandContext,
  kept: OpenServer[],
): Promise<readonly Found[]> {
  const { home, io, reaching, output } = context;
  const place = { home, cwd: io.cwd, env: io.env, warn: (message: string) => output.note(message) };
  const found: Found[] = [];
  for (const word of words) {
    const open = await reachKept(word, home);
    if (open === undefined) {
      const bare = { ...reaching, env: [], cwd: undefined };
      found.push(await findTarget({ kind: 'word', word }, bare, place));
      continue;
    }
    kept.push(open);
    const entry = await keptEntry(open, (event) => {
      if (event.type === 'question-over') answers.over(event.id);
      else if (event.type === 'question')
        answers.asked(event.item, ({ id }, answer) => open.request('requests.answer', { id, answer }));
    });
    found.push({ entry, inputs: [] });
  }
  if (target !== undefined) found.push(await findTarget(target, reaching, place));
  const names = found.map(({ entry }) => entry.name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined)
    throw new CliError('usage', `Two servers are called ${JSON.stringify(twice)}. Name one of them another way.`);
  return found;
}
