import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { formSchema } from '../../protocol/elicitation/elicitation-form.ts';
import { isRawShape } from '../../schema/adapters/raw-shape.ts';
import { prepareSchema } from '../../schema/documents/prepare-schema.ts';
import type { AnySchema } from '../../schema/schema.ts';
import type { ParseResult } from '../../schema/schema.ts';
import { isStandardTyped } from '../../schema/standard-schema.ts';
import { formIssues, requireCheckable } from './form-answers.ts';

/** A form as clients are asked it, and what reads its answer. */
export interface PreparedForm {
  readonly form: JsonObject;
  parse(answer: unknown): ParseResult<unknown> | Promise<ParseResult<unknown>>;
}

const forms = new WeakMap<object, PreparedForm>();

/** The form that a schema asks for: a Standard Schema, an object of them, or the JSON Schema of a form. Converting one costs more than asking: once per schema. */
export function prepareForm(schema: AnySchema): PreparedForm {
  let prepared = forms.get(schema);
  if (prepared === undefined) forms.set(schema, (prepared = isRawForm(schema) ? rawForm(schema) : ofSchema(schema)));
  return prepared;
}

function isRawForm(schema: AnySchema): schema is JsonObject {
  return isJsonObject(schema) && !isStandardTyped(schema) && !isRawShape(schema);
}

function rawForm(schema: JsonObject): PreparedForm {
  requireCheckable(schema);
  return {
    form: formSchema(schema),
    parse: (answer) => {
      const issues = formIssues(schema, answer);
      return issues.length === 0 ? { ok: true, value: answer } : { ok: false, issues };
    },
  };
}

function ofSchema(schema: AnySchema): PreparedForm {
  const prepared = prepareSchema(schema, 'input');
  return { form: formSchema(prepared.json), parse: (answer) => prepared.parse(answer) };
}
