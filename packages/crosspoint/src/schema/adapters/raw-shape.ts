import {
  describeIssue,
  rebaseReferences,
  type JsonSchema,
  type JsonSchemaObject,
  type ValidationIssue,
  type SchemaSide,
} from '@crosspoint/json-schema/internal';
import type { ParseResult, RawShape, Schema } from '../schema.ts';
import { isStandardTyped } from '../standard-schema.ts';
import { mayBeAbsent } from './may-be-absent.ts';
import { prepareStandard } from './prepare-standard.ts';

/** An object whose every member is a schema. The empty object counts: as a JSON Schema it would say nothing. */
export function isRawShape(value: object): value is RawShape {
  return !isStandardTyped(value) && Object.values(value).every(isStandardTyped);
}

interface Member {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
}

type Parsed = ParseResult<unknown>;

/** Parses like the object schema the shape stands for: members one by one, unknown ones dropped. */
export function prepareShape(shape: RawShape, side: SchemaSide): Schema {
  const members = Object.entries(shape).map(([name, schema]): Member => ({
    name,
    schema: prepareStandard(schema, side),
    required: !mayBeAbsent(schema, side),
  }));
  const required = members.filter((member) => member.required).map((member) => member.name);
  const json: JsonSchemaObject = {
    type: 'object',
    properties: Object.fromEntries(members.map(placed)),
    ...(required.length > 0 ? { required } : {}),
    ...(side === 'output' ? { additionalProperties: false } : {}),
  };
  return { json, parse: (value) => parseMembers(members, value) };
}

function placed({ name, schema }: Member): [string, JsonSchema] {
  return [name, rebaseReferences(schema.json, `/properties/${pointerToken(name)}`)];
}

function parseMembers(members: readonly Member[], value: unknown): Parsed | Promise<Parsed> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const got = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
    return { ok: false, issues: [{ path: [], message: `expected object, got ${got}` }] };
  }
  const given = value as Readonly<Record<string, unknown>>;
  const results = members.map((member) => parseMember(member, given));
  if (results.some((result) => result instanceof Promise)) {
    return Promise.all(results.map((result) => Promise.resolve(result))).then((settled) =>
      assemble(members, settled, given),
    );
  }
  return assemble(members, results as readonly Parsed[], given);
}

function parseMember(member: Member, given: Readonly<Record<string, unknown>>): Parsed | Promise<Parsed> {
  const present = Object.hasOwn(given, member.name) && given[member.name] !== undefined;
  if (!present && member.required) {
    const issue: ValidationIssue = {
      path: [],
      message: `missing required property \`${member.name}\``,
      keyword: 'required',
    };
    return { ok: false, issues: [issue] };
  }
  return member.schema.parse(present ? given[member.name] : undefined);
}

function assemble(members: readonly Member[], results: readonly Parsed[], given: object): Parsed {
  const issues: ValidationIssue[] = [];
  const entries: [string, unknown][] = [];
  for (const [index, { name }] of members.entries()) {
    const result = results[index];
    if (result === undefined) continue;
    if (result.ok) {
      if (result.value !== undefined || Object.hasOwn(given, name)) entries.push([name, result.value]);
    } else issues.push(...result.issues.map((issue) => under(name, issue)));
  }
  return issues.length > 0 ? { ok: false, issues } : { ok: true, value: Object.fromEntries(entries) };
}

function under(name: string, issue: ValidationIssue): ValidationIssue {
  if (issue.keyword === 'required' && issue.path.length === 0) return issue;
  return { ...issue, path: [name, ...issue.path], message: describeIssue([name], issue.message) };
}

/** One step of a JSON Pointer inside a URI fragment. */
function pointerToken(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
}
