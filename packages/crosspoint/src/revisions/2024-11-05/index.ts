import { revision20250326 } from '../2025-03-26/index.ts';
import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { Ask } from '../../protocol/outcome.ts';
import { older } from '../older.ts';
import { without } from '../reducer.ts';
import type { Revision } from '../revision.ts';
import { request } from '../vocabulary.ts';

/** Writes a content block. This revision has no audio: a text says that there was some. */
function writeContent(block: JsonObject): JsonObject {
  if (block['type'] !== 'audio') return block;
  const { data: _, mimeType, ...rest } = block;
  return {
    ...rest,
    type: 'text',
    text: `[audio content of type ${String(mimeType)}, which this protocol revision cannot carry]`,
  };
}

function writeAsk(ask: Ask): Ask | undefined {
  const { messages } = ask.params;
  const sounds =
    Array.isArray(messages) &&
    messages.some((message: unknown) => isJsonObject(message) && isAudio(message['content']));
  return sounds ? undefined : ask;
}

function isAudio(content: unknown): boolean {
  return isJsonObject(content) && content['type'] === 'audio';
}

const reduced: Revision = older(revision20250326, '2024-11-05', {
  tool: without('annotations'),
  content: writeContent,
  serverCapabilities: without('completions'),
  notifications: { 'notifications/progress': without('message') },
  ask: writeAsk,
});

export const revision20241105: Revision = {
  ...reduced,
  formerId: '2024-10-07',
  batches: false,
  // Completion existed before its capability did.
  methods: new Map([...reduced.methods, ['completion/complete', request('client')]]),
};
