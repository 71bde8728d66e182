/** Types of the fields that an elicitation form may have. */
interface FieldWords {
  title?: string;
  description?: string;
}
export interface StringSchema extends FieldWords {
  type: 'string';
  minLength?: number;
  maxLength?: number;
  format?: 'email' | 'uri' | 'date' | 'date-time';
  default?: string;
}
export interface NumberSchema extends FieldWords {
  type: 'number' | 'integer';
  minimum?: number;
  maximum?: number;
  default?: number;
}
export interface BooleanSchema extends FieldWords {
  type: 'boolean';
  default?: boolean;
}
interface Choice {
  const: string;
  title: string;
}
export interface UntitledSingleSelectEnumSchema extends FieldWords {
  type: 'string';
  enum: string[];
  default?: string;
}
export interface TitledSingleSelectEnumSchema extends FieldWords {
  type: 'string';
  oneOf: Choice[];
  default?: string;
}
interface Several extends FieldWords {
  type: 'array';
  minItems?: number;
  maxItems?: number;
  default?: string[];
}
export interface UntitledMultiSelectEnumSchema extends Several {
  items: { type: 'string'; enum: string[] };
}
export interface TitledMultiSelectEnumSchema extends Several {
  items: { anyOf: Choice[] };
}
export interface LegacyTitledEnumSchema extends UntitledSingleSelectEnumSchema {
  enumNames?: string[];
}
export type SingleSelectEnumSchema = UntitledSingleSelectEnumSchema | TitledSingleSelectEnumSchema;
export type MultiSelectEnumSchema = UntitledMultiSelectEnumSchema | TitledMultiSelectEnumSchema;
export type EnumSchema = SingleSelectEnumSchema | MultiSelectEnumSchema | LegacyTitledEnumSchema;
export type PrimitiveSchemaDefinition = StringSchema | NumberSchema | BooleanSchema | EnumSchema;
