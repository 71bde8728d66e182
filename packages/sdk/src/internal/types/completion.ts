/** Completion of the arguments of prompts and resource templates. */
import * as z from 'zod/v4';
import { BaseRequestParamsSchema, ResultSchema, message, type RequestMeta, type Result } from './base.ts';
import type { LooseOf, MessageOf, ObjectOf, UnionOf } from './schema-of.ts';

export type ResourceTemplateReference = { type: 'ref/resource'; uri: string };
/** @deprecated The older name of `ResourceTemplateReference`. */
export type ResourceReference = ResourceTemplateReference;
export type PromptReference = { type: 'ref/prompt'; name: string; title?: string | undefined };

export const ResourceTemplateReferenceSchema: ObjectOf<ResourceTemplateReference> = z.object({
  type: z.literal('ref/resource'),
  uri: z.string(),
});
/** @deprecated The older name of `ResourceTemplateReferenceSchema`. */
export const ResourceReferenceSchema: typeof ResourceTemplateReferenceSchema = ResourceTemplateReferenceSchema;
export const PromptReferenceSchema: ObjectOf<PromptReference> = z.object({
  type: z.literal('ref/prompt'),
  name: z.string(),
  title: z.string().optional(),
});

type CompleteParamsOf<Reference> = {
  _meta?: RequestMeta | undefined;
  ref: Reference;
  argument: { name: string; value: string };
  context?: { arguments?: { [key: string]: string } | undefined } | undefined;
};

export type CompleteRequestParams = CompleteParamsOf<PromptReference | ResourceTemplateReference>;
export type CompleteRequest = { method: 'completion/complete'; params: CompleteRequestParams };
export type CompleteRequestPrompt = { method: 'completion/complete'; params: CompleteParamsOf<PromptReference> };
export type CompleteRequestResourceTemplate = {
  method: 'completion/complete';
  params: CompleteParamsOf<ResourceTemplateReference>;
};
export type CompleteResult = Result & {
  completion: {
    [key: string]: unknown;
    values: string[];
    total?: number | undefined;
    hasMore?: boolean | undefined;
  };
};

const reference: UnionOf<readonly [typeof PromptReferenceSchema, typeof ResourceTemplateReferenceSchema]> = z.union([
  PromptReferenceSchema,
  ResourceTemplateReferenceSchema,
]);

export const CompleteRequestParamsSchema: ObjectOf<CompleteRequestParams> = BaseRequestParamsSchema.extend({
  ref: reference,
  argument: z.object({ name: z.string(), value: z.string() }),
  context: z.object({ arguments: z.record(z.string(), z.string()).optional() }).optional(),
});
export const CompleteRequestSchema: MessageOf<'completion/complete', typeof CompleteRequestParamsSchema> = message(
  'completion/complete',
  CompleteRequestParamsSchema,
);
export const CompleteResultSchema: LooseOf<CompleteResult> = ResultSchema.extend({
  completion: z.looseObject({
    values: z.array(z.string()).max(100),
    total: z.number().int().optional(),
    hasMore: z.boolean().optional(),
  }),
});

/** Throws `TypeError` unless the request completes an argument of a prompt. */
export function assertCompleteRequestPrompt(request: CompleteRequest): asserts request is CompleteRequestPrompt {
  const { type } = request.params.ref;
  if (type !== 'ref/prompt') throw new TypeError(`Expected a reference to a prompt, but got ${type}.`);
}

/** Throws `TypeError` unless the request completes an argument of a resource template. */
export function assertCompleteRequestResourceTemplate(
  request: CompleteRequest,
): asserts request is CompleteRequestResourceTemplate {
  const { type } = request.params.ref;
  if (type !== 'ref/resource') throw new TypeError(`Expected a reference to a resource template, but got ${type}.`);
}
