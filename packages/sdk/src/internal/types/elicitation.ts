/** Questions of a server to the user: a form, or a page to open. */
import * as z from 'zod/v4';
import {
  NotificationsParamsSchema,
  ResultSchema,
  TaskAugmentedRequestParamsSchema,
  message,
  type RequestMeta,
  type Result,
  type TaskAugmentedRequestParams,
} from './base.ts';
import { PrimitiveSchemaDefinitionSchema, type PrimitiveSchemaDefinition } from './form-schemas.ts';
import type { LooseOf, MessageOf, ObjectOf, UnionOf } from './schema-of.ts';

export type ElicitRequestFormParams = TaskAugmentedRequestParams & {
  mode?: 'form' | undefined;
  message: string;
  requestedSchema: {
    type: 'object';
    properties: { [key: string]: PrimitiveSchemaDefinition };
    required?: string[] | undefined;
  };
};
export type ElicitRequestURLParams = TaskAugmentedRequestParams & {
  mode: 'url';
  message: string;
  elicitationId: string;
  url: string;
};
export type ElicitRequestParams = ElicitRequestFormParams | ElicitRequestURLParams;
export type ElicitRequest = { method: 'elicitation/create'; params: ElicitRequestParams };

export const ElicitRequestFormParamsSchema: ObjectOf<ElicitRequestFormParams> = TaskAugmentedRequestParamsSchema.extend(
  {
    mode: z.literal('form').optional(),
    message: z.string(),
    requestedSchema: z.object({
      type: z.literal('object'),
      properties: z.record(z.string(), PrimitiveSchemaDefinitionSchema),
      required: z.array(z.string()).optional(),
    }),
  },
);
/** The per-request family has no id for such a question: one is generated, because v1 programs expect it. */
export const ElicitRequestURLParamsSchema: ObjectOf<ElicitRequestURLParams> = TaskAugmentedRequestParamsSchema.extend({
  mode: z.literal('url'),
  message: z.string(),
  elicitationId: z.string().default(() => crypto.randomUUID()),
  url: z.url(),
});
export const ElicitRequestParamsSchema: UnionOf<
  readonly [typeof ElicitRequestFormParamsSchema, typeof ElicitRequestURLParamsSchema]
> = z.union([ElicitRequestFormParamsSchema, ElicitRequestURLParamsSchema]);
export const ElicitRequestSchema: MessageOf<'elicitation/create', typeof ElicitRequestParamsSchema> = message(
  'elicitation/create',
  ElicitRequestParamsSchema,
);

export type ElicitationCompleteNotificationParams = { _meta?: RequestMeta | undefined; elicitationId: string };
export type ElicitationCompleteNotification = {
  method: 'notifications/elicitation/complete';
  params: ElicitationCompleteNotificationParams;
};
export type ElicitResult = Result & {
  action: 'accept' | 'decline' | 'cancel';
  content?: { [key: string]: string | number | boolean | string[] } | undefined;
};

export const ElicitationCompleteNotificationParamsSchema: ObjectOf<ElicitationCompleteNotificationParams> =
  NotificationsParamsSchema.extend({ elicitationId: z.string() });
export const ElicitationCompleteNotificationSchema: MessageOf<
  'notifications/elicitation/complete',
  typeof ElicitationCompleteNotificationParamsSchema
> = message('notifications/elicitation/complete', ElicitationCompleteNotificationParamsSchema);

type Answers = NonNullable<ElicitResult['content']>;

const answers: z.ZodType<Answers> = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]),
);
/** Some clients send `null` for no content. The type describes the result, in which it is an absent member. */
const answersOrNull = z.union([answers, z.null()]).transform((value) => (value ?? undefined) as Answers);

export const ElicitResultSchema: LooseOf<ElicitResult> = ResultSchema.extend({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: answersOrNull.optional(),
});
