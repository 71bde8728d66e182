/** Capabilities of clients and servers. */
import * as z from 'zod/v4';
import { anyObject } from './base.ts';
import type { AnyObject, LooseOf, ObjectOf } from './schema-of.ts';

type ClientTaskRequests = {
  [key: string]: unknown;
  sampling?: { [key: string]: unknown; createMessage?: AnyObject | undefined } | undefined;
  elicitation?: { [key: string]: unknown; create?: AnyObject | undefined } | undefined;
};
type ServerTaskRequests = {
  [key: string]: unknown;
  tools?: { [key: string]: unknown; call?: AnyObject | undefined } | undefined;
};
type TasksCapability<Requests> = {
  [key: string]: unknown;
  list?: AnyObject | undefined;
  cancel?: AnyObject | undefined;
  requests?: Requests | undefined;
};

export const ClientTasksCapabilitySchema: LooseOf<TasksCapability<ClientTaskRequests>> = z.looseObject({
  list: anyObject.optional(),
  cancel: anyObject.optional(),
  requests: z
    .looseObject({
      sampling: z.looseObject({ createMessage: anyObject.optional() }).optional(),
      elicitation: z.looseObject({ create: anyObject.optional() }).optional(),
    })
    .optional(),
});

export const ServerTasksCapabilitySchema: LooseOf<TasksCapability<ServerTaskRequests>> = z.looseObject({
  list: anyObject.optional(),
  cancel: anyObject.optional(),
  requests: z.looseObject({ tools: z.looseObject({ call: anyObject.optional() }).optional() }).optional(),
});

/** `{}` means form mode only. */
type ElicitationCapability = {
  [key: string]: unknown;
  form?: { [key: string]: unknown; applyDefaults?: boolean | undefined } | undefined;
  url?: AnyObject | undefined;
};

const isEmptyObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;

const ElicitationCapabilitySchema: z.ZodType<ElicitationCapability> = z.preprocess(
  (value) => (isEmptyObject(value) ? { form: {} } : value),
  z.looseObject({
    form: z.looseObject({ applyDefaults: z.boolean().optional() }).optional(),
    url: anyObject.optional(),
  }),
);

export type ClientCapabilities = {
  experimental?: { [key: string]: AnyObject } | undefined;
  /** @deprecated by SEP-2577; the earliest revision without sampling is the first on or after 2027-07-28. */
  sampling?: { context?: AnyObject | undefined; tools?: AnyObject | undefined } | undefined;
  elicitation?: ElicitationCapability | undefined;
  /** @deprecated by SEP-2577; the earliest revision without roots is the first on or after 2027-07-28. */
  roots?: { listChanged?: boolean | undefined } | undefined;
  tasks?: TasksCapability<ClientTaskRequests> | undefined;
  extensions?: { [key: string]: AnyObject } | undefined;
};

export const ClientCapabilitiesSchema: ObjectOf<ClientCapabilities> = z.object({
  experimental: z.record(z.string(), anyObject).optional(),
  sampling: z.object({ context: anyObject.optional(), tools: anyObject.optional() }).optional(),
  elicitation: ElicitationCapabilitySchema.optional(),
  roots: z.object({ listChanged: z.boolean().optional() }).optional(),
  tasks: ClientTasksCapabilitySchema.optional(),
  extensions: z.record(z.string(), anyObject).optional(),
});

export type ServerCapabilities = {
  experimental?: { [key: string]: AnyObject } | undefined;
  /** @deprecated by SEP-2577; the earliest revision without logging is the first on or after 2027-07-28. */
  logging?: AnyObject | undefined;
  completions?: AnyObject | undefined;
  prompts?: { listChanged?: boolean | undefined } | undefined;
  resources?: { subscribe?: boolean | undefined; listChanged?: boolean | undefined } | undefined;
  tools?: { listChanged?: boolean | undefined } | undefined;
  tasks?: TasksCapability<ServerTaskRequests> | undefined;
  extensions?: { [key: string]: AnyObject } | undefined;
};

export const ServerCapabilitiesSchema: ObjectOf<ServerCapabilities> = z.object({
  experimental: z.record(z.string(), anyObject).optional(),
  logging: anyObject.optional(),
  completions: anyObject.optional(),
  prompts: z.object({ listChanged: z.boolean().optional() }).optional(),
  resources: z.object({ subscribe: z.boolean().optional(), listChanged: z.boolean().optional() }).optional(),
  tools: z.object({ listChanged: z.boolean().optional() }).optional(),
  tasks: ServerTasksCapabilitySchema.optional(),
  extensions: z.record(z.string(), anyObject).optional(),
});
