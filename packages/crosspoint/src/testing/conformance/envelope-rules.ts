import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { FAULT_CODES } from '../../protocol/errors.ts';
import { cacheHintsFault, type CacheHints } from '../../protocol/listing.ts';
import { META_PROTOCOL_VERSION, META_SERVER_INFO } from '../../protocol/meta.ts';
import { clientWordsOf } from '../../revisions/client-words.ts';
import { show } from '../match-value.ts';
import { ensureError } from './expected-answers.ts';
import { initialize } from './opening.ts';
import { ensure, NothingToCheck, type CheckContext, type Rule } from './rule.ts';

const NO_VERSION = '1999-12-31';
const INVALID_PARAMS = -32_602;
const RETIRED: ReadonlySet<unknown> = new Set([
  FAULT_CODES['resource-not-found'],
  FAULT_CODES['url-elicitation-required'],
]);

function perRequest({ revision }: CheckContext): void {
  if (revision.family !== 'per-request') throw new NothingToCheck('the facts are in the handshake');
}

function resultsOf({ probe }: CheckContext): JsonObject[] {
  return probe.received
    .map((message) => (isJsonObject(message) ? message['result'] : undefined))
    .filter((result) => isJsonObject(result));
}

export const ENVELOPE_RULES: readonly Rule[] = [
  {
    id: 'version',
    level: 'must',
    text: 'A version that does not exist is refused, with those that are supported.',
    check: async (context) => {
      const { probe, revision } = context;
      if (revision.family === 'handshake') throw new NothingToCheck('it is asked for when a connection is opened');
      const params = clientWordsOf(revision).writeRequest({
        method: 'server/discover',
        params: {},
        facts: { capabilities: {} },
      });
      const answer = await probe.requestAs(
        'server/discover',
        withMeta(params, { [META_PROTOCOL_VERSION]: NO_VERSION }),
      );
      ensureError(answer, FAULT_CODES['unsupported-version'], 'a version that does not exist');
      const data = answer.kind === 'error' ? answer.error.data : undefined;
      ensure(
        isJsonObject(data) && Array.isArray(data['supported']) && data['supported'].includes(revision.id),
        `the error for a version that does not exist names none that does: ${show(data)}`,
      );
    },
  },
  {
    id: 'request-meta',
    level: 'must',
    text: 'A request that does not say what its client can do is answered with the error -32602.',
    check: async (context) => {
      perRequest(context);
      const { probe, revision } = context;
      const params = { _meta: { [META_PROTOCOL_VERSION]: revision.id } };
      ensureError(
        await probe.requestAs('server/discover', params),
        INVALID_PARAMS,
        'a request without clientCapabilities',
      );
    },
  },
  {
    id: 'result-type',
    level: 'must',
    text: 'Every result says of what type it is.',
    check: async (context) => {
      perRequest(context);
      for (const result of resultsOf(context))
        ensure(typeof result['resultType'] === 'string', `a result without resultType: ${show(result)}`);
    },
  },
  {
    id: 'cache-hints',
    level: 'must',
    text: 'A list, and what was discovered, says how long and by whom it may be kept.',
    check: async (context) => {
      perRequest(context);
      const { probe, revision } = context;
      for (const [method, { cacheable }] of revision.methods) {
        if (cacheable !== true || method === 'resources/read') continue;
        const answer = await probe.request(method);
        if (answer.kind === 'error') continue;
        const { ttlMs, cacheScope } = answer.result;
        ensure(
          ttlMs !== undefined && cacheScope !== undefined,
          `${method} gave no ttlMs and cacheScope: ${show(answer.result)}`,
        );
        const fault = cacheHintsFault({ ttlMs, cacheScope } as CacheHints);
        ensure(fault === undefined, `${method}: ${fault}`);
      }
    },
  },
  {
    id: 'retired-codes',
    level: 'must',
    text: 'Errors have no code that only older revisions have.',
    check: async (context) => {
      perRequest(context);
      for (const message of context.probe.received) {
        const error = isJsonObject(message) ? message['error'] : undefined;
        const isRetired = isJsonObject(error) && RETIRED.has(error['code']);
        ensure(!isRetired, `an error that this revision does not have: ${show(error)}`);
      }
    },
  },
  {
    id: 'server-info',
    level: 'should',
    text: 'Every result says in its _meta which server gave it.',
    check: async (context) => {
      perRequest(context);
      for (const result of resultsOf(context)) {
        const meta = result['_meta'];
        ensure(
          isJsonObject(meta) && isJsonObject(meta[META_SERVER_INFO]),
          `a result without serverInfo: ${show(result)}`,
        );
      }
    },
  },
];

function withMeta(params: JsonObject, meta: JsonObject): JsonObject {
  const own = params['_meta'];
  return { ...params, _meta: { ...(isJsonObject(own) && own), ...meta } };
}

/** Checked on a connection of its own, since a connection is opened once. */
export const COUNTER_OFFER: Rule = {
  id: 'counter-offer',
  level: 'must',
  text: 'A handshake with a version that does not exist is answered with one that does, or with an error.',
  check: async ({ probe, revision }) => {
    if (revision.family !== 'handshake') throw new NothingToCheck('there is no handshake');
    const answer = await initialize(probe, NO_VERSION);
    if (answer.kind === 'error') return;
    const { protocolVersion } = answer.result;
    ensure(
      typeof protocolVersion === 'string' && protocolVersion !== NO_VERSION,
      `a handshake with the version ${NO_VERSION} was answered with ${show(protocolVersion)}`,
    );
  },
};
