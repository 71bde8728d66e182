import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { hasCapability, type ClientCapabilities } from '../../protocol/capabilities.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import { formDefaults } from '../../protocol/elicitation/form-fields.ts';
import { samplingAnswerFault, samplingFault } from '../../protocol/sampling-rules.ts';
import { described } from '../../runtime/described.ts';
import { SchemaError, compileSchema, describeIssues, type CompileOptions } from '@crosspoint/json-schema';
import { neededCapability } from './handlers.ts';
import { describeUrl } from './url-consent.ts';

/** Why a question cannot be answered: its capability is not declared, or, unless it is only relayed, its params are invalid. `undefined` when it can. */
export function askFault(
  method: string,
  params: JsonObject,
  capabilities: ClientCapabilities,
  isRelayed?: boolean,
): ProtocolError | undefined {
  const needed = neededCapability(method);
  if (needed === undefined) return undefined;
  if (!hasCapability(capabilities, needed)) return unknownMethod(method);
  if (isRelayed) return undefined;
  if (method === 'sampling/createMessage') return samplingRefusal(params, capabilities);
  return method === 'elicitation/create' ? elicitationRefusal(params, capabilities) : undefined;
}

function samplingRefusal(params: JsonObject, capabilities: ClientCapabilities): ProtocolError | undefined {
  const withTools = params['tools'] !== undefined || params['toolChoice'] !== undefined;
  if (withTools && !hasCapability(capabilities, 'sampling.tools'))
    return new ProtocolError('invalid-params', 'This client does not support tools in sampling.');
  const fault = samplingFault(params);
  return fault === undefined
    ? undefined
    : new ProtocolError('invalid-params', `The sampling request is not valid: ${fault}.`);
}

function elicitationRefusal(params: JsonObject, capabilities: ClientCapabilities): ProtocolError | undefined {
  const { supportsFormMode, supportsUrlMode } = getSupportedElicitationModes(capabilities.elicitation);
  const wantsUrl = params['mode'] === 'url';
  if (!(wantsUrl ? supportsUrlMode : supportsFormMode))
    return new ProtocolError(
      'invalid-params',
      `This client does not support elicitation in ${wantsUrl ? 'url' : 'form'} mode.`,
    );
  if (!wantsUrl) return undefined;
  const { url } = params;
  if (typeof url !== 'string' || !URL.canParse(url))
    return new ProtocolError('invalid-params', 'The url of the elicitation is not absolute.');
  return describeUrl(url).openable
    ? undefined
    : new ProtocolError('invalid-params', 'The url of the elicitation must be http or https.');
}

/** The declared elicitation modes. An empty declaration means form mode. */
export function getSupportedElicitationModes(declared: ClientCapabilities['elicitation']): {
  supportsFormMode: boolean;
  supportsUrlMode: boolean;
} {
  const supportsUrlMode = declared?.url !== undefined;
  return {
    supportsFormMode: declared !== undefined && (declared.form !== undefined || !supportsUrlMode),
    supportsUrlMode,
  };
}

const ANSWERS: Readonly<Record<string, string>> = {
  'elicitation/create': "{ action: 'accept', content: { … } }, { action: 'decline' } or { action: 'cancel' }",
  'sampling/createMessage': "{ model: '…', role: 'assistant', content: { type: 'text', text: '…' } }",
  'roots/list': "{ roots: [{ uri: 'file:///…' }] }",
};

/** The error for a handler whose answer is no object. */
export function misshapenAnswer(method: string, came: unknown): TypeError {
  return new TypeError(
    `The handler for ${method} returned ${described(came)}. Return ${ANSWERS[method] ?? 'an object, which may be {}'}.`,
  );
}

/**
 * Returns the answer as it may be sent. Throws `TypeError` for one that breaks the protocol or does not match the question; that error is
 * for the author of the handler, the server gets only an internal error.
 */
export function checkedAnswer(
  method: string,
  params: JsonObject,
  answer: JsonObject,
  capabilities: ClientCapabilities,
): JsonObject {
  if (method === 'elicitation/create') return checkedElicitation(params, answer, capabilities);
  if (method === 'sampling/createMessage') {
    const fault = samplingAnswerFault(params, answer);
    if (fault !== undefined) throw new TypeError(`The answer to sampling/createMessage was not sent: ${fault}.`);
  }
  if (method === 'roots/list') {
    const { roots } = answer;
    const fault = Array.isArray(roots)
      ? roots.map(rootFault).find((found) => found !== undefined)
      : 'roots must be a list';
    if (fault !== undefined) throw new TypeError(`The answer to roots/list was not sent: ${fault}.`);
  }
  return answer;
}

/** Why a root is invalid; `undefined` when it is valid. */
export function rootFault(root: unknown): string | undefined {
  const uri = isJsonObject(root) ? root['uri'] : undefined;
  if (typeof uri !== 'string' || !/^file:\/\//i.test(uri) || !URL.canParse(uri))
    return `a root needs a file:// URI, not ${JSON.stringify(uri)}`;
  return /(?:^|[/\\]|%2f|%5c)(?:\.|%2e){2}(?:$|[/\\?#]|%2f|%5c)/i.test(uri) || /%00|%2f|%5c|\\/i.test(uri)
    ? `the root ${uri} climbs out of its folder or hides a separator`
    : undefined;
}

const WITH_FORMATS: CompileOptions = { assertFormats: true };

function checkedElicitation(params: JsonObject, answer: JsonObject, capabilities: ClientCapabilities): JsonObject {
  const { action, content, ...rest } = answer;
  if (action !== 'accept' && action !== 'decline' && action !== 'cancel')
    throw new TypeError(
      `The answer to elicitation/create was not sent: its action is ${JSON.stringify(action) ?? 'missing'}, and must be "accept", "decline" or "cancel".`,
    );
  // Only an accepted form has content; accepting a page answers no field.
  if (action !== 'accept' || params['mode'] === 'url') return { action, ...rest };
  const { requestedSchema } = params;
  if (!isJsonObject(requestedSchema)) return answer;
  const given = content === undefined ? {} : content;
  if (!isJsonObject(given))
    throw new TypeError(
      'The answer to elicitation/create was not sent: its content must be an object with the fields of the form.',
    );
  const whole =
    capabilities.elicitation?.form?.['applyDefaults'] === true
      ? { ...formDefaults(requestedSchema), ...withoutUndefined(given) }
      : given;
  const fault = formFault(requestedSchema, whole);
  if (fault !== undefined) throw new TypeError(`The answer to elicitation/create was not sent: ${fault}`);
  return content === undefined && Object.keys(whole).length === 0 ? answer : { action, content: whole, ...rest };
}

/** Why the content does not match the form's schema; `undefined` when it does. For hosts that check while the user types. */
export function formFault(requestedSchema: JsonObject, content: JsonObject): string | undefined {
  try {
    const fits = compileSchema(requestedSchema, WITH_FORMATS).validate(content);
    return fits.ok ? undefined : describeIssues(fits.issues);
  } catch (error) {
    if (error instanceof SchemaError)
      throw new ProtocolError('invalid-params', `The form cannot be shown: ${error.message}`);
    throw error;
  }
}

function withoutUndefined(content: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(content).filter(([, value]) => value !== undefined));
}

export function unknownMethod(method: string): ProtocolError {
  return new ProtocolError('method-not-found', `Method not found: ${method}`);
}
