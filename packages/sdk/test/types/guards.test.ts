import { describe, expect, it } from 'vitest';
import { proves } from '../../../crosspoint/test/requirements/proves.ts';
import * as own from '../../src/types.ts';
import { rootFault } from '../../../crosspoint/src/client/answering/ask-checks.ts';
import {
  isErrorObject,
  isJsonObject,
  isRequestId,
  kindOf,
  type JsonObject,
} from '../../../crosspoint/src/jsonrpc/message.ts';
import { annotationsFault, contentFault, resourceContentsFault } from '../../../crosspoint/src/protocol/content.ts';
import { isLoggingLevel } from '../../../crosspoint/src/protocol/logging.ts';
import { samplingFault } from '../../../crosspoint/src/protocol/sampling-rules.ts';
import { isTask } from '../../../crosspoint/src/protocol/tasks.ts';
import { CORPUS } from './corpus.ts';
import { mutationsOf } from './mutations.ts';

interface Pair {
  /** The schema, by its name in `types.js`. */
  readonly name: string;
  /** What this library asks of such a value by hand. */
  readonly guard: (value: unknown) => boolean;
  /** The part of a value that the guard is about. What is beside it is read by nobody, so it is left alone. */
  readonly about?: (value: unknown) => unknown;
  /** Why the two may disagree about that part all the same. */
  readonly except?: Readonly<Record<string, (value: JsonObject) => boolean>>;
}

const present = (value: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
const only =
  (...names: readonly string[]) =>
  (value: unknown): unknown =>
    isJsonObject(value)
      ? present(Object.fromEntries(names.filter((name) => name in value).map((name) => [name, value[name]])))
      : value;
const withoutMeta = (value: unknown): unknown => (isJsonObject(value) ? { ...value, _meta: undefined } : value);

/** The members of JSON-RPC, and of params and results what is not `_meta`, which is looked at where it is used. */
const envelope = (value: unknown): unknown => {
  const found = only('jsonrpc', 'id', 'method', 'params', 'result', 'error')(value);
  if (!isJsonObject(found)) return found;
  return present({ ...found, params: withoutMeta(found['params']), result: withoutMeta(found['result']) });
};
const isKind = (kind: string) => (value: unknown) => kindOf(value) === kind;

const MIME = 'a sender is asked for a MIME type, a receiver takes any text';

const pairs: readonly Pair[] = [
  { name: 'RequestIdSchema', guard: isRequestId },
  { name: 'LoggingLevelSchema', guard: isLoggingLevel },
  { name: 'JSONRPCMessageSchema', guard: (value) => kindOf(value) !== 'invalid', about: envelope },
  { name: 'JSONRPCRequestSchema', guard: isKind('request'), about: envelope },
  { name: 'JSONRPCNotificationSchema', guard: isKind('notification'), about: envelope },
  { name: 'JSONRPCResultResponseSchema', guard: isKind('result'), about: envelope },
  { name: 'JSONRPCErrorResponseSchema', guard: isKind('error'), about: envelope },
  { name: 'AnnotationsSchema', guard: (value) => annotationsFault(value) === undefined },
  {
    name: 'TextContentSchema',
    guard: (value) => contentFault(value) === undefined,
    about: only('type', 'text', 'annotations'),
    except: { 'the set of blocks is open': ({ type }) => typeof type === 'string' && type !== 'text' },
  },
  ...['image', 'audio'].map((kind) => ({
    name: kind === 'image' ? 'ImageContentSchema' : 'AudioContentSchema',
    guard: (value: unknown) => contentFault(value) === undefined,
    about: only('type', 'data', 'mimeType', 'annotations'),
    except: {
      'the set of blocks is open': ({ type }: JsonObject) => typeof type === 'string' && type !== kind,
      [MIME]: ({ mimeType }: JsonObject) => typeof mimeType === 'string' && !/^\w+\/\w+$/.test(mimeType),
    },
  })),
  {
    name: 'EmbeddedResourceSchema',
    guard: (value) => contentFault(value) === undefined,
    about: (value) => {
      const found = only('type', 'resource', 'annotations')(value);
      return isJsonObject(found) && 'resource' in found
        ? { ...found, resource: only('uri', 'text', 'blob')(found['resource']) }
        : found;
    },
    except: { 'the set of blocks is open': ({ type }) => typeof type === 'string' && type !== 'resource' },
  },
  {
    name: 'ResourceLinkSchema',
    guard: (value) => contentFault(value) === undefined,
    about: only('type', 'uri', 'name', 'annotations'),
    except: { 'the set of blocks is open': ({ type }) => typeof type === 'string' && type !== 'resource_link' },
  },
  {
    name: 'TextResourceContentsSchema',
    guard: (value) => resourceContentsFault(value) === undefined,
    about: only('uri', 'text'),
  },
  {
    name: 'BlobResourceContentsSchema',
    guard: (value) => resourceContentsFault(value) === undefined,
    about: only('uri', 'blob'),
  },
  {
    name: 'TaskSchema',
    // The neutral model has the newer generation's name for it.
    guard: (value) => isTask(isJsonObject(value) ? { ...value, ttlMs: value['ttl'] } : value),
    about: only('taskId', 'status', 'ttl', 'createdAt', 'lastUpdatedAt'),
  },
  {
    name: 'RootSchema',
    guard: (value) => rootFault(value) === undefined,
    about: only('uri'),
  },
  {
    name: 'ModelPreferencesSchema',
    guard: (value) => samplingFault({ messages: [], maxTokens: 1, modelPreferences: value }) === undefined,
    about: only('costPriority', 'speedPriority', 'intelligencePriority'),
    except: { 'no preferences at all are allowed': (value) => value === undefined },
  },
  {
    name: 'ToolChoiceSchema',
    guard: (value) => samplingFault({ messages: [], maxTokens: 1, toolChoice: value }) === undefined,
    except: { 'no choice at all is allowed': (value) => value === undefined },
  },
];

const schemas = own as object as Record<string, { safeParse(value: unknown): { success: boolean } }>;

describe('the schemas of types.js and the guards that are written by hand', () => {
  it.each(pairs)('agree: $name', ({ name, guard, about = (value) => value, except = {} }) => {
    const examples = CORPUS[name] ?? [];
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) expect(guard(example), JSON.stringify(example)).toBe(true);
    const values = examples.flatMap((example) => [example, ...mutationsOf(example)]).map(about);
    const judged = values.map((value) => ({
      value,
      schema: schemas[name]?.safeParse(value).success,
      hand: guard(value),
    }));
    const disputed = judged.filter(
      ({ value, schema, hand }) =>
        schema !== hand && !Object.values(except).some((allows) => allows(value as JsonObject)),
    );
    expect(disputed).toEqual([]);
    expect(judged.some(({ schema, hand }) => !schema && !hand)).toBe(true);
  });

  it('agree about the errors within answers', () => {
    const [answer] = CORPUS['JSONRPCErrorResponseSchema'] ?? [];
    const { error } = answer as { error: unknown };
    for (const value of mutationsOf(error))
      expect(own.JSONRPCErrorResponseSchema.safeParse({ jsonrpc: '2.0', error: value }).success).toBe(
        isErrorObject(value),
      );
  });

  proves('L-SDK-027').it('know a request to initialize from anything else', () => {
    const [request] = CORPUS['InitializeRequestSchema'] ?? [];
    const params = (request as { params: JsonObject }).params;
    expect(own.isInitializeRequest(request)).toBe(true);
    expect(own.isInitializeRequest({ jsonrpc: '2.0', id: 1, method: 'initialize', params })).toBe(true);
    expect(own.isInitializeRequest({ jsonrpc: '2.0', id: 1, method: 'tools/list', params })).toBe(false);
    expect(own.isInitializeRequest({ jsonrpc: '2.0', id: 1, method: 'initialize' })).toBe(false);
    expect(own.isInitializeRequest([request])).toBe(false);
    expect(own.isInitializeRequest(undefined)).toBe(false);
    expect(own.isInitializedNotification({ method: 'notifications/initialized' })).toBe(true);
    expect(own.isInitializedNotification(request)).toBe(false);
    expect(own.isTaskAugmentedRequestParams({ task: { ttl: 1 } })).toBe(true);
    expect(own.isTaskAugmentedRequestParams({ task: { ttl: 'x' } })).toBe(false);
  });

  it('tell the four kinds of messages apart', () => {
    const [request, notification, result, error] = CORPUS['JSONRPCMessageSchema'] ?? [];
    const judge = (value: unknown): boolean[] => [
      own.isJSONRPCRequest(value),
      own.isJSONRPCNotification(value),
      own.isJSONRPCResultResponse(value),
      own.isJSONRPCErrorResponse(value),
    ];
    expect([request, notification, result, error].map(judge)).toEqual([
      [true, false, false, false],
      [false, true, false, false],
      [false, false, true, false],
      [false, false, false, true],
    ]);
    expect(own.isJSONRPCResponse(result)).toBe(true);
    expect(own.isJSONRPCError(error)).toBe(true);
  });
});
