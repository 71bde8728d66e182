/** JSON-RPC messages as v1 checks them: unknown members are refused. */
import * as z from 'zod/v4';
import {
  NotificationSchema,
  RequestIdSchema,
  RequestSchema,
  ResultSchema,
  type Notification,
  type Request,
  type RequestId,
  type Result,
} from './base.ts';
import type { ObjectOf, StrictOf, UnionOf } from './schema-of.ts';

export const JSONRPC_VERSION = '2.0' as const;

export type JSONRPCRequest = Request & { jsonrpc: typeof JSONRPC_VERSION; id: RequestId };
export type JSONRPCNotification = Notification & { jsonrpc: typeof JSONRPC_VERSION };
export type JSONRPCResultResponse = { jsonrpc: typeof JSONRPC_VERSION; id: RequestId; result: Result };
/** `id` is absent, or `null` as plain JSON-RPC has it, when the id of the request could not be read. */
export type JSONRPCErrorResponse = {
  jsonrpc: typeof JSONRPC_VERSION;
  id?: RequestId | null | undefined;
  error: { code: number; message: string; data?: unknown };
};
/** @deprecated The older name of `JSONRPCErrorResponse`. */
export type JSONRPCError = JSONRPCErrorResponse;
export type JSONRPCResponse = JSONRPCResultResponse | JSONRPCErrorResponse;
export type JSONRPCMessage = JSONRPCRequest | JSONRPCNotification | JSONRPCResponse;

const version = z.literal(JSONRPC_VERSION);

export const JSONRPCRequestSchema: StrictOf<JSONRPCRequest> = z.strictObject({
  jsonrpc: version,
  id: RequestIdSchema,
  ...RequestSchema.shape,
});
export const JSONRPCNotificationSchema: StrictOf<JSONRPCNotification> = z.strictObject({
  jsonrpc: version,
  ...NotificationSchema.shape,
});
export const JSONRPCResultResponseSchema: StrictOf<JSONRPCResultResponse> = z.strictObject({
  jsonrpc: version,
  id: RequestIdSchema,
  result: ResultSchema,
});

const errorObject: ObjectOf<JSONRPCErrorResponse['error']> = z.object({
  code: z.number().int(),
  message: z.string(),
  data: z.unknown().optional(),
});

export const JSONRPCErrorResponseSchema: StrictOf<JSONRPCErrorResponse> = z.strictObject({
  jsonrpc: version,
  id: RequestIdSchema.nullable().optional(),
  error: errorObject,
});
/** @deprecated The older name of `JSONRPCErrorResponseSchema`. */
export const JSONRPCErrorSchema: typeof JSONRPCErrorResponseSchema = JSONRPCErrorResponseSchema;

export const JSONRPCResponseSchema: UnionOf<
  readonly [typeof JSONRPCResultResponseSchema, typeof JSONRPCErrorResponseSchema]
> = z.union([JSONRPCResultResponseSchema, JSONRPCErrorResponseSchema]);

export const JSONRPCMessageSchema: UnionOf<
  readonly [
    typeof JSONRPCRequestSchema,
    typeof JSONRPCNotificationSchema,
    typeof JSONRPCResultResponseSchema,
    typeof JSONRPCErrorResponseSchema,
  ]
> = z.union([JSONRPCRequestSchema, JSONRPCNotificationSchema, JSONRPCResultResponseSchema, JSONRPCErrorResponseSchema]);

export const isJSONRPCRequest = (value: unknown): value is JSONRPCRequest =>
  JSONRPCRequestSchema.safeParse(value).success;
export const isJSONRPCNotification = (value: unknown): value is JSONRPCNotification =>
  JSONRPCNotificationSchema.safeParse(value).success;
export const isJSONRPCResultResponse = (value: unknown): value is JSONRPCResultResponse =>
  JSONRPCResultResponseSchema.safeParse(value).success;
export const isJSONRPCErrorResponse = (value: unknown): value is JSONRPCErrorResponse =>
  JSONRPCErrorResponseSchema.safeParse(value).success;
/** @deprecated The older name of `isJSONRPCResultResponse`. */
export const isJSONRPCResponse: (value: unknown) => value is JSONRPCResultResponse = isJSONRPCResultResponse;
/** @deprecated The older name of `isJSONRPCErrorResponse`. */
export const isJSONRPCError: (value: unknown) => value is JSONRPCErrorResponse = isJSONRPCErrorResponse;
