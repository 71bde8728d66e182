import { isObject, type Json, type JsonObject } from '../../values/json.ts';
import type { InputDefinition } from '../server-entry.ts';
import { membersBeside } from './members.ts';
import type { FormatShape, InputsShape } from './shape.ts';

const TYPES: readonly InputDefinition['type'][] = [
  'text',
  'choice',
  'command',
  'number',
  'boolean',
  'directory',
  'file',
];

/** Member of the definition → its name in the file and the type that it has there. */
const MEMBERS = {
  title: ['title', 'string'],
  description: ['description', 'string'],
  isSecret: ['secret', 'boolean'],
  isRequired: ['required', 'boolean'],
  isList: ['list', 'boolean'],
  minimum: ['minimum', 'number'],
  maximum: ['maximum', 'number'],
} as const;

const inputs: InputsShape = {
  read: (value, report) => {
    const { id, type = 'text', options } = value;
    const kind = TYPES.find((one) => one === type);
    if (typeof id !== 'string' || id === '') {
      report('id', 'must be a text that is not empty.');
      return undefined;
    }
    if (kind === undefined) {
      report('type', `must be one of ${TYPES.join(', ')}.`);
      return undefined;
    }
    const read: Record<string, Json | undefined> = {};
    for (const [member, [name, wanted]] of Object.entries(MEMBERS)) {
      if (value[name] === undefined) continue;
      if (typeof value[name] !== wanted) report(name, `must be a ${wanted}.`);
      else read[member] = value[name];
    }
    if (options !== undefined && !isOptionList(options)) report('options', 'must be a list of { label, value }.');
    const known = ['id', 'type', 'options', 'default', ...Object.values(MEMBERS).map(([name]) => name)];
    return {
      id,
      type: kind,
      ...(read as Partial<InputDefinition>),
      ...(isOptionList(options) && { options }),
      ...(value['default'] !== undefined && { default: value['default'] }),
      ...membersBeside(value, known),
    };
  },
  write: (input) => ({
    id: input.id,
    type: input.type,
    ...Object.fromEntries(
      Object.entries(MEMBERS).flatMap(([member, [name]]) => {
        const value = input[member as keyof typeof MEMBERS];
        return value === undefined ? [] : [[name, value]];
      }),
    ),
    ...(input.options !== undefined && { options: input.options.map(({ label, value }) => ({ label, value })) }),
    ...(input.default !== undefined && { default: input.default }),
  }),
};

type Option = { readonly label: string; readonly value: string };

function isOptionList(value: Json | undefined): value is readonly (Option & JsonObject)[] {
  return (
    Array.isArray(value) &&
    value.every(
      (item: Json) => isObject(item) && typeof item['label'] === 'string' && typeof item['value'] === 'string',
    )
  );
}

/** `crosspoint.json`: a place for every member of `ServerEntry`, and for members of other formats. */
export const crosspointShape: FormatShape = {
  id: 'crosspoint',
  title: 'Crosspoint',
  key: 'servers',
  allowsComments: true,
  stdio: { fields: ['args', 'env', 'envFile', 'cwd'], allowsNull: true, writesType: true },
  remote: {
    types: { http: 'http', sse: 'sse' },
    withoutType: 'http',
    oauth: {
      key: 'oauth',
      names: {
        clientId: 'clientId',
        clientSecret: 'clientSecret',
        scopes: 'scopes',
        callbackPort: 'callbackPort',
        authServerMetadataUrl: 'authServerMetadataUrl',
      },
    },
  },
  names: {
    isDisabled: 'disabled',
    timeoutMs: 'timeoutMs',
    alwaysLoad: 'alwaysLoad',
    roots: 'roots',
    isTrusted: 'trusted',
  },
  inputs,
  extra: 'extra',
  mark: { key: 'crosspoint', value: 1 },
  restIsState: false,
};
