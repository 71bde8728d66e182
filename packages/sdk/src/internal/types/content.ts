/** Content of results, prompts and messages. */
import * as z from 'zod/v4';
import { metaSchema } from './base.ts';
import { BaseMetadataSchema, IconsSchema, type BaseMetadata, type Icons } from './lifecycle.ts';
import type { AnyObject, ObjectOf, UnionOf } from './schema-of.ts';

export type Role = 'user' | 'assistant';
export type Annotations = {
  audience?: Role[] | undefined;
  priority?: number | undefined;
  lastModified?: string | undefined;
};

/** ISO 8601: a date, or a time with or without offset. */
const time = z.union([z.iso.datetime({ offset: true, local: true }), z.iso.date()]);

export const RoleSchema: z.ZodEnum<{ user: 'user'; assistant: 'assistant' }> = z.enum(['user', 'assistant']);
export const AnnotationsSchema: ObjectOf<Annotations> = z.object({
  audience: z.array(RoleSchema).optional(),
  priority: z.number().min(0).max(1).optional(),
  lastModified: time.optional(),
});

function isDecodable(value: string): boolean {
  try {
    atob(value);
    return true;
  } catch {
    return false;
  }
}
const base64: z.ZodString = z.string().refine(isDecodable, { error: 'The value is not valid base64.' });

export type ResourceContents = { uri: string; mimeType?: string | undefined; _meta?: AnyObject | undefined };
export type TextResourceContents = ResourceContents & { text: string };
export type BlobResourceContents = ResourceContents & { blob: string };

export const ResourceContentsSchema: ObjectOf<ResourceContents> = z.object({
  uri: z.string(),
  mimeType: z.string().optional(),
  _meta: metaSchema.optional(),
});
export const TextResourceContentsSchema: ObjectOf<TextResourceContents> = ResourceContentsSchema.extend({
  text: z.string(),
});
export const BlobResourceContentsSchema: ObjectOf<BlobResourceContents> = ResourceContentsSchema.extend({
  blob: base64,
});

/** One item of a resource's contents: text or base64. */
export const resourceContentsUnion: UnionOf<
  readonly [typeof TextResourceContentsSchema, typeof BlobResourceContentsSchema]
> = z.union([TextResourceContentsSchema, BlobResourceContentsSchema]);

export type Resource = BaseMetadata &
  Icons & {
    uri: string;
    description?: string | undefined;
    mimeType?: string | undefined;
    size?: number | undefined;
    annotations?: Annotations | undefined;
    _meta?: AnyObject | undefined;
  };

export const ResourceSchema: ObjectOf<Resource> = z.object({
  ...BaseMetadataSchema.shape,
  ...IconsSchema.shape,
  uri: z.string(),
  description: z.string().optional(),
  mimeType: z.string().optional(),
  size: z.number().optional(),
  annotations: AnnotationsSchema.optional(),
  _meta: z.looseObject({}).optional(),
});

type Noted = { annotations?: Annotations | undefined; _meta?: AnyObject | undefined };

export type TextContent = Noted & { type: 'text'; text: string };
export type ImageContent = Noted & { type: 'image'; data: string; mimeType: string };
export type AudioContent = Noted & { type: 'audio'; data: string; mimeType: string };
export type EmbeddedResource = Noted & { type: 'resource'; resource: TextResourceContents | BlobResourceContents };
export type ResourceLink = Resource & { type: 'resource_link' };
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

const noted = { annotations: AnnotationsSchema.optional(), _meta: metaSchema.optional() };

export const TextContentSchema: ObjectOf<TextContent> = z.object({
  type: z.literal('text'),
  text: z.string(),
  ...noted,
});
export const ImageContentSchema: ObjectOf<ImageContent> = z.object({
  type: z.literal('image'),
  data: base64,
  mimeType: z.string(),
  ...noted,
});
export const AudioContentSchema: ObjectOf<AudioContent> = z.object({
  type: z.literal('audio'),
  data: base64,
  mimeType: z.string(),
  ...noted,
});
export const EmbeddedResourceSchema: ObjectOf<EmbeddedResource> = z.object({
  type: z.literal('resource'),
  resource: resourceContentsUnion,
  ...noted,
});
export const ResourceLinkSchema: ObjectOf<ResourceLink> = ResourceSchema.extend({ type: z.literal('resource_link') });
export const ContentBlockSchema: UnionOf<
  readonly [
    typeof TextContentSchema,
    typeof ImageContentSchema,
    typeof AudioContentSchema,
    typeof ResourceLinkSchema,
    typeof EmbeddedResourceSchema,
  ]
> = z.union([TextContentSchema, ImageContentSchema, AudioContentSchema, ResourceLinkSchema, EmbeddedResourceSchema]);
