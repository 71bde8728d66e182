import { CONVERSATION_METRICS, sampleOverHttp, sampleOverStdio } from './conversations.mjs';

const ROUNDS = 3;
const capabilities = { elicitation: { form: {} } };
const YES = { action: 'accept', content: { yes: true } };

function check(result) {
  if (result.content?.[0]?.text !== 'asked 3')
    throw new Error(`Not all was asked: ${JSON.stringify(result).slice(0, 300)}`);
}

/** The call is made again with the answers until it is complete. */
async function askInRounds(ask) {
  let more = {};
  for (let round = 0; round < ROUNDS; round += 1) {
    const result = await ask('tools/call', { name: 'ask', arguments: {}, ...more });
    if (result.resultType !== 'input_required') throw new Error(`It asked in ${round} rounds instead of ${ROUNDS}.`);
    const inputResponses = Object.fromEntries(Object.keys(result.inputRequests).map((key) => [key, YES]));
    more = { inputResponses, ...(result.requestState === undefined ? {} : { requestState: result.requestState }) };
  }
  check(await ask('tools/call', { name: 'ask', arguments: {}, ...more }));
}

const askLive = async (ask) => check(await ask('tools/call', { name: 'ask', arguments: {} }));

const variant = (subject) => ({ label: subject, subject, kit: 'ask' });

export const w12a = {
  id: 'w12a',
  title: 'asking in three rounds: HTTP, 2026-07-28 wire',
  note: 'A call is four requests. Crosspoint seals the state between rounds, official-v2 signs it, tmcp and raw do neither.',
  metrics: CONVERSATION_METRICS,
  reference: 'raw',
  sample: (one, settings) => sampleOverHttp(one, settings, { capabilities, conversation: askInRounds }),
  variants: ['raw', 'crosspoint', 'tmcp', 'official-v2'].map(variant),
  targets: [],
};

export const w12b = {
  id: 'w12b',
  title: 'asking three times while the call waits: stdio, 2025-11-25 wire',
  metrics: CONVERSATION_METRICS,
  reference: 'raw',
  sample: (one, settings) =>
    sampleOverStdio(one, settings, { capabilities, conversation: askLive, answerTo: () => YES }),
  variants: ['raw', 'crosspoint', 'tmcp', 'official-v1', 'official-v2'].map(variant),
  targets: [],
};
