import { isJsonObject, type JsonObject } from '../jsonrpc/message.ts';

type Block = JsonObject & { readonly type: string };

const BLOCKS: ReadonlySet<unknown> = new Set(['text', 'image', 'audio', 'tool_use', 'tool_result']);
const PRIORITIES = ['costPriority', 'speedPriority', 'intelligencePriority'] as const;
const MODES: ReadonlySet<unknown> = new Set([undefined, 'auto', 'required', 'none']);

/** The content of a sampling message as a list; `undefined` for any other value. */
function blocksOf(content: unknown): Block[] | undefined {
  const blocks = Array.isArray(content) ? content : [content];
  return blocks.every((block) => isJsonObject(block) && BLOCKS.has(block['type'])) ? (blocks as Block[]) : undefined;
}

/** Returns what is wrong with the params of `sampling/createMessage`, or `undefined`. The server checks before it asks, the client before it answers. */
export function samplingFault({ messages, maxTokens, modelPreferences, toolChoice }: JsonObject): string | undefined {
  if (!Array.isArray(messages)) return 'messages must be a list';
  if (typeof maxTokens !== 'number' || !Number.isInteger(maxTokens) || maxTokens < 1)
    return 'maxTokens must be a whole number above 0';
  if (toolChoice !== undefined && !(isJsonObject(toolChoice) && MODES.has(toolChoice['mode'])))
    return 'toolChoice has the mode auto, required or none';
  return preferencesFault(modelPreferences) ?? messagesFault(messages);
}

function preferencesFault(preferences: unknown): string | undefined {
  if (preferences === undefined) return undefined;
  if (!isJsonObject(preferences)) return 'modelPreferences must be an object';
  const outside = PRIORITIES.find((name) => {
    const value = preferences[name];
    return value !== undefined && !(typeof value === 'number' && value >= 0 && value <= 1);
  });
  return outside === undefined ? undefined : `${outside} lies between 0 and 1`;
}

/** Every use of a tool is answered in the next message, by id, and that message holds nothing else. */
function messagesFault(messages: readonly unknown[]): string | undefined {
  let owed = new Set<unknown>();
  for (const [index, message] of messages.entries()) {
    const where = `messages[${index}]`;
    const blocks = isJsonObject(message) ? blocksOf(message['content']) : undefined;
    if (!isJsonObject(message) || (message['role'] !== 'user' && message['role'] !== 'assistant'))
      return `${where} needs the role user or assistant`;
    if (blocks === undefined) return `${where} needs content: text, image, audio, tool_use or tool_result`;
    const fault =
      owed.size > 0 || blocks.some(({ type }) => type === 'tool_result')
        ? resultsFault(message['role'], blocks, owed)
        : undefined;
    if (fault !== undefined) return `${where} ${fault}`;
    const uses = blocks.filter(({ type }) => type === 'tool_use');
    if (uses.length > 0 && message['role'] !== 'assistant')
      return `${where} uses a tool, which only the assistant does`;
    owed = new Set(uses.map(({ id }) => id));
    if (owed.size !== uses.length) return `${where} uses the same id for two uses of a tool`;
  }
  return owed.size === 0
    ? undefined
    : `the use of a tool in the last message is not answered (${[...owed].join(', ')})`;
}

function resultsFault(role: unknown, blocks: readonly Block[], owed: ReadonlySet<unknown>): string | undefined {
  if (role !== 'user' || blocks.some(({ type }) => type !== 'tool_result'))
    return owed.size > 0
      ? 'must be a user message with the results of the tools used before, and nothing else'
      : 'holds tool results beside other content';
  const given = blocks.map(({ toolUseId }) => toolUseId);
  const stray = given.find((id) => !owed.has(id));
  if (stray !== undefined) return `answers the use ${JSON.stringify(stray)}, which the message before does not have`;
  return new Set(given).size === owed.size && given.length === owed.size
    ? undefined
    : 'does not answer every use of a tool in the message before exactly once';
}

/** Returns what is wrong with an answer to these params, or `undefined`. */
export function samplingAnswerFault(
  { tools, toolChoice }: JsonObject,
  { role, content, model, stopReason }: JsonObject,
): string | undefined {
  if (role !== 'user' && role !== 'assistant') return 'it needs the role user or assistant';
  if (typeof model !== 'string') return 'it needs the name of the model';
  if (stopReason !== undefined && typeof stopReason !== 'string') return 'its stopReason must be text';
  const blocks = blocksOf(content);
  if (blocks === undefined) return 'it needs content: text, image, audio or tool_use';
  const uses = blocks.filter(({ type }) => type === 'tool_use');
  const mode = isJsonObject(toolChoice) ? toolChoice['mode'] : undefined;
  if (uses.length > 0 && (mode === 'none' || !Array.isArray(tools) || tools.length === 0))
    return 'it uses a tool though none was offered';
  if (mode === 'required' && uses.length === 0) return 'it uses no tool though toolChoice requires one';
  return undefined;
}
