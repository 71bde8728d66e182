import { expect, it } from 'vitest';
import { Inbox, type SamplingContext, type SamplingOptions } from '../../src/index.ts';
import { answerSampling } from '../../src/context/sampling.ts';

const PARAMS = { messages: [], maxTokens: 50 };

/** The context that the model gets, and the reason that the user is told. */
async function sampled(
  options: Omit<SamplingOptions, 'model'>,
  includeContext: string,
  edit?: { readonly includeContext: string },
): Promise<[context: string, reason: string]> {
  let given = '';
  let reason = '';
  const inbox = new Inbox();
  inbox.watch((change) => {
    if (change.type !== 'asked') return;
    const { item } = change;
    if (item.kind === 'sampling') reason = item.from.reason;
    const request = item.kind === 'sampling' && edit !== undefined ? { ...PARAMS, ...edit } : undefined;
    inbox.answer(item.id, { action: 'allow', ...(request && { request }) });
  });
  const { signal } = new AbortController();
  await answerSampling(
    {
      ...options,
      model: async (request) => {
        given = request.includeContext;
        return { role: 'assistant', model: 'm', content: { type: 'text', text: 'x' } };
      },
    },
    { ...PARAMS, includeContext },
    { server: 's', asks: inbox, from: (what) => ({ server: 's', reason: what }), waiting: {}, signal },
  );
  return [given, reason];
}

it('gives no context without a policy, and says that some was asked for', async () => {
  expect(await sampled({}, 'allServers')).toEqual([
    'none',
    'wants words of your model, and context of the conversation (allServers), of which it gets none',
  ]);
  expect(await sampled({}, 'none')).toEqual(['none', 'wants words of your model']);
  expect(await sampled({}, 'everything')).toEqual(['none', 'wants words of your model']);
});

it('gives no more than the policy, the server and the user say', async () => {
  const policy = (context: string) => ({ includeContext: () => context as SamplingContext });
  expect((await sampled(policy('allServers'), 'thisServer'))[0]).toBe('thisServer');
  expect((await sampled(policy('thisServer'), 'allServers'))[0]).toBe('thisServer');
  expect((await sampled(policy('all of it'), 'allServers'))[0]).toBe('none');
  expect((await sampled(policy('thisServer'), 'allServers', { includeContext: 'allServers' }))[0]).toBe('thisServer');
  expect((await sampled(policy('allServers'), 'allServers', { includeContext: 'none' }))[0]).toBe('none');
});

it('fails when the policy does: nothing is sampled', async () => {
  const includeContext = () => Promise.reject(new Error('unreadable'));
  await expect(sampled({ includeContext }, 'allServers')).rejects.toThrow('unreadable');
});
