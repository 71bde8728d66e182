/** What a server asks of the user: by a form, or by a page that the user opens. */
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
/** The per-request family gives such a question no id: one is made up, so that a program that was written for ids has one. */
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
/** There are clients that send `null` for no content. The type leaves out what comes of it, which is that of an absent member. */
const answersOrNull = z.union([answers, z.null()]).transform((value) => (value ?? undefined) as Answers);

export const ElicitResultSchema: LooseOf<ElicitResult> = ResultSchema.extend({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: answersOrNull.optional(),
});
