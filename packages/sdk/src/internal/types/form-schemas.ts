/** The schemas of one field of an elicitation's form. */
import * as z from 'zod/v4';
import type { ObjectOf, UnionOf } from './schema-of.ts';

type Field = { title?: string | undefined; description?: string | undefined };
type Titled = { const: string; title: string };

export type BooleanSchema = Field & { type: 'boolean'; default?: boolean | undefined };
export type StringSchema = Field & {
  type: 'string';
  minLength?: number | undefined;
  maxLength?: number | undefined;
  format?: 'email' | 'uri' | 'date' | 'date-time' | undefined;
  default?: string | undefined;
};
export type NumberSchema = Field & {
  type: 'number' | 'integer';
  minimum?: number | undefined;
  maximum?: number | undefined;
  default?: number | undefined;
};
export type UntitledSingleSelectEnumSchema = Field & { type: 'string'; enum: string[]; default?: string | undefined };
export type TitledSingleSelectEnumSchema = Field & { type: 'string'; oneOf: Titled[]; default?: string | undefined };
/** @deprecated `enumNames` is no JSON Schema: use `oneOf` with `const` and `title` (SEP-1330). */
export type LegacyTitledEnumSchema = Field & {
  type: 'string';
  enum: string[];
  enumNames?: string[] | undefined;
  default?: string | undefined;
};
type MultiSelect<Items> = Field & {
  type: 'array';
  minItems?: number | undefined;
  maxItems?: number | undefined;
  items: Items;
  default?: string[] | undefined;
};
export type UntitledMultiSelectEnumSchema = MultiSelect<{ type: 'string'; enum: string[] }>;
export type TitledMultiSelectEnumSchema = MultiSelect<{ anyOf: Titled[] }>;
export type SingleSelectEnumSchema = UntitledSingleSelectEnumSchema | TitledSingleSelectEnumSchema;
export type MultiSelectEnumSchema = UntitledMultiSelectEnumSchema | TitledMultiSelectEnumSchema;
export type EnumSchema = SingleSelectEnumSchema | MultiSelectEnumSchema | LegacyTitledEnumSchema;
export type PrimitiveSchemaDefinition = EnumSchema | BooleanSchema | StringSchema | NumberSchema;

const field = { title: z.string().optional(), description: z.string().optional() };
const titled = z.object({ const: z.string(), title: z.string() });
const choices = z.array(z.string());

export const BooleanSchemaSchema: ObjectOf<BooleanSchema> = z.object({
  ...field,
  type: z.literal('boolean'),
  default: z.boolean().optional(),
});
export const StringSchemaSchema: ObjectOf<StringSchema> = z.object({
  ...field,
  type: z.literal('string'),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  format: z.enum(['email', 'uri', 'date', 'date-time']).optional(),
  default: z.string().optional(),
});
export const NumberSchemaSchema: ObjectOf<NumberSchema> = z.object({
  ...field,
  type: z.enum(['number', 'integer']),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  default: z.number().optional(),
});
export const UntitledSingleSelectEnumSchemaSchema: ObjectOf<UntitledSingleSelectEnumSchema> = z.object({
  ...field,
  type: z.literal('string'),
  enum: choices,
  default: z.string().optional(),
});
export const TitledSingleSelectEnumSchemaSchema: ObjectOf<TitledSingleSelectEnumSchema> = z.object({
  ...field,
  type: z.literal('string'),
  oneOf: z.array(titled),
  default: z.string().optional(),
});
/** @deprecated `enumNames` is no JSON Schema: use `oneOf` with `const` and `title` (SEP-1330). */
export const LegacyTitledEnumSchemaSchema: ObjectOf<LegacyTitledEnumSchema> = z.object({
  ...field,
  type: z.literal('string'),
  enum: choices,
  enumNames: z.array(z.string()).optional(),
  default: z.string().optional(),
});

const multiSelect = {
  ...field,
  type: z.literal('array'),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
  default: choices.optional(),
};

export const UntitledMultiSelectEnumSchemaSchema: ObjectOf<UntitledMultiSelectEnumSchema> = z.object({
  ...multiSelect,
  items: z.object({ type: z.literal('string'), enum: choices }),
});
export const TitledMultiSelectEnumSchemaSchema: ObjectOf<TitledMultiSelectEnumSchema> = z.object({
  ...multiSelect,
  items: z.object({ anyOf: z.array(titled) }),
});
export const SingleSelectEnumSchemaSchema: UnionOf<
  readonly [typeof UntitledSingleSelectEnumSchemaSchema, typeof TitledSingleSelectEnumSchemaSchema]
> = z.union([UntitledSingleSelectEnumSchemaSchema, TitledSingleSelectEnumSchemaSchema]);
export const MultiSelectEnumSchemaSchema: UnionOf<
  readonly [typeof UntitledMultiSelectEnumSchemaSchema, typeof TitledMultiSelectEnumSchemaSchema]
> = z.union([UntitledMultiSelectEnumSchemaSchema, TitledMultiSelectEnumSchemaSchema]);
/** The legacy form comes first: it is the one that keeps `enumNames`. */
export const EnumSchemaSchema: UnionOf<
  readonly [
    typeof LegacyTitledEnumSchemaSchema,
    typeof SingleSelectEnumSchemaSchema,
    typeof MultiSelectEnumSchemaSchema,
  ]
> = z.union([LegacyTitledEnumSchemaSchema, SingleSelectEnumSchemaSchema, MultiSelectEnumSchemaSchema]);
export const PrimitiveSchemaDefinitionSchema: UnionOf<
  readonly [typeof EnumSchemaSchema, typeof BooleanSchemaSchema, typeof StringSchemaSchema, typeof NumberSchemaSchema]
> = z.union([EnumSchemaSchema, BooleanSchemaSchema, StringSchemaSchema, NumberSchemaSchema]);
