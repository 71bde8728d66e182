import { isJsonObject } from 'crosspoint/internal';
import type { JsonObject } from 'crosspoint';
import { resolved } from './pointer.ts';

export type BodyKind = 'json' | 'form' | 'text';

export interface Body {
  readonly kind: BodyKind;
  readonly mediaType: string;
  readonly isRequired: boolean;
  readonly schema: unknown;
  /** The members of the body, where each is an argument of the tool; absent where the whole body is one argument. */
  readonly members: ReadonlyMap<string, unknown> | undefined;
  readonly requiredMembers: ReadonlySet<string>;
}

/** Keywords of an object schema whose members can become arguments of the tool; any other keyword keeps the body one argument. */
const PLAIN: ReadonlySet<string> = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'title',
  'description',
  'example',
  'examples',
  'deprecated',
  'xml',
  'externalDocs',
]);

/** The body of an operation; `undefined` where it has none; the list of its media types where none of them is supported. */
export function bodyOf(document: JsonObject, operation: JsonObject): Body | undefined | readonly string[] {
  const given = resolved(document, operation['requestBody']);
  const content = given?.['content'];
  if (given === undefined || !isJsonObject(content)) return undefined;
  const types = Object.keys(content);
  for (const [kind, matches] of KINDS) {
    const mediaType = types.find(matches);
    if (mediaType === undefined) continue;
    const media = resolved(document, content[mediaType]);
    return {
      kind,
      mediaType,
      isRequired: given['required'] === true,
      schema: media?.['schema'],
      ...spread(document, media, given),
    };
  }
  return types.length === 0 ? undefined : types;
}

const KINDS: readonly (readonly [BodyKind, (type: string) => boolean])[] = [
  ['json', isJsonType],
  ['form', (type) => bare(type) === 'application/x-www-form-urlencoded'],
  ['text', (type) => bare(type) === 'text/plain'],
];

export function isJsonType(type: string): boolean {
  return /^(?:application|text)\/(?:[\w.+-]+\+)?json$/.test(bare(type));
}

function bare(type: string): string {
  return type.split(';')[0]?.trim().toLowerCase() ?? '';
}

function spread(
  document: JsonObject,
  media: JsonObject | undefined,
  { required }: JsonObject,
): Pick<Body, 'members' | 'requiredMembers'> {
  const schema = resolved(document, media?.['schema']);
  const properties = schema?.['properties'];
  const isPlain =
    required === true &&
    schema !== undefined &&
    isJsonObject(properties) &&
    schema['type'] === 'object' &&
    typeof schema['additionalProperties'] !== 'object' &&
    Object.keys(schema).every((key) => PLAIN.has(key) || key.startsWith('x-'));
  if (!isPlain || !isJsonObject(properties)) return { members: undefined, requiredMembers: new Set() };
  // Read-only members appear in answers alone, so they are no arguments.
  const members = Object.entries(properties).filter(
    ([, member]) => !(isJsonObject(member) && member['readOnly'] === true),
  );
  const names = new Set<unknown>(Array.isArray(schema['required']) ? schema['required'] : []);
  return {
    members: new Map(members),
    requiredMembers: new Set(members.map(([name]) => name).filter((name) => names.has(name))),
  };
}
