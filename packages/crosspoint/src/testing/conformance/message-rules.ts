import { isJsonObject } from '../../jsonrpc/message.ts';
import { hasCapability } from '../../protocol/capabilities.ts';
import { isValidMetaKey } from '../../protocol/meta.ts';
import { clientWordsOf } from '../../revisions/client-words.ts';
import { show } from '../match-value.ts';
import { ensureError, ensureResult } from './expected-answers.ts';
import { ensure, NothingToCheck, type CheckContext, type Rule } from './rule.ts';

const METHOD_NOT_FOUND = -32_601;

/** Sends a request that every server answers with an error. When its answer is here, everything sent before has been handled. */
async function barrier({ probe }: CheckContext): Promise<void> {
  await probe.request('crosspoint/no-such-method');
}

/** A method behind each capability, which shows whether the capability is served. */
const SERVED = [
  { capability: 'tools', method: 'tools/list', params: {} },
  { capability: 'prompts', method: 'prompts/list', params: {} },
  { capability: 'resources', method: 'resources/list', params: {} },
  { capability: 'logging', method: 'logging/setLevel', params: { level: 'error' } },
  {
    capability: 'completions',
    method: 'completion/complete',
    params: { ref: { type: 'ref/prompt', name: 'crosspoint-no-such-prompt' }, argument: { name: 'a', value: '' } },
  },
] as const;

export const MESSAGE_RULES: readonly Rule[] = [
  {
    id: 'ping',
    level: 'must',
    text: 'A ping is answered with an empty result.',
    check: async ({ probe, revision }) => {
      if (!revision.methods.has('ping')) throw new NothingToCheck('the revision has no ping');
      const { _meta, ...rest } = ensureResult(await probe.request('ping'), 'ping');
      ensure(Object.keys(rest).length === 0, `ping was answered with ${show(rest)}`);
    },
  },
  {
    id: 'ids',
    level: 'must',
    text: 'An answer has the id of its request, text or number, and there is one answer to a request.',
    check: async (context) => {
      const { probe, revision } = context;
      const params = clientWordsOf(revision).writeRequest({
        method: 'crosspoint/no-such-method',
        params: {},
        facts: { capabilities: {} },
      });
      await Promise.all([
        probe.requestAs('crosspoint/no-such-method', params, '1'),
        probe.requestAs('crosspoint/no-such-method', params, 'a-text'),
        probe.requestAs('crosspoint/no-such-method', params, 0),
      ]);
      await barrier(context);
      ensure(probe.faults.length === 0, probe.faults.join('; '));
    },
  },
  {
    id: 'unknown-method',
    level: 'must',
    text: 'An unknown method is answered with the error -32601.',
    check: async ({ probe }) =>
      ensureError(await probe.request('crosspoint/no-such-method'), METHOD_NOT_FOUND, 'an unknown method'),
  },
  {
    id: 'notifications',
    level: 'must',
    text: 'A notification is not answered, known or not.',
    check: async (context) => {
      const { probe } = context;
      const before = probe.received.length;
      probe.notify('notifications/crosspoint/no-such-notification');
      probe.notify('notifications/cancelled', { requestId: 'crosspoint-never-sent' });
      await barrier(context);
      const answers = probe.received
        .slice(before, -1)
        .filter((one) => isJsonObject(one) && ('result' in one || 'error' in one));
      ensure(answers.length === 0, `a notification was answered: ${show(answers[0])}`);
    },
  },
  {
    id: 'capabilities',
    level: 'must',
    text: 'What is declared is served, and what is not declared is answered with the error -32601.',
    check: async ({ probe, revision }) => {
      for (const { capability, method, params } of SERVED) {
        if (!revision.methods.has(method)) continue;
        // A method that needs no capability in this revision may be served or not.
        if (revision.methods.get(method)?.needs === undefined) continue;
        const answer = await probe.request(method, params);
        if (!hasCapability(probe.capabilities, capability))
          ensureError(answer, METHOD_NOT_FOUND, `${method}, undeclared,`);
        else if (answer.kind === 'error')
          ensure(answer.error.code !== METHOD_NOT_FOUND, `"${capability}" is declared, but ${method} is not known`);
      }
    },
  },
  {
    id: 'vocabulary',
    level: 'must',
    text: 'A server sends only requests and notifications that the revision has.',
    check: async (context) => {
      await barrier(context);
      const { probe, revision } = context;
      for (const message of probe.received) {
        if (!isJsonObject(message) || typeof message['method'] !== 'string') continue;
        ensure(
          revision.methods.has(message['method']),
          `the server sent ${message['method']}, which the revision does not have`,
        );
      }
    },
  },
  {
    id: 'meta-keys',
    level: 'must',
    text: 'Every key of a _meta is a name, perhaps after a prefix of labels.',
    check: async (context) => {
      await barrier(context);
      for (const message of context.probe.received) {
        const bad = metaKeysIn(message).find((key) => !isValidMetaKey(key));
        ensure(bad === undefined, `"${bad}" is no key of a _meta`);
      }
    },
  },
];

/** The `_meta` keys of a message's params or result. Deeper ones belong to the author. */
function metaKeysIn(message: unknown): string[] {
  if (!isJsonObject(message)) return [];
  const held = message['params'] ?? message['result'];
  const meta = isJsonObject(held) ? held['_meta'] : undefined;
  return isJsonObject(meta) ? Object.keys(meta) : [];
}
