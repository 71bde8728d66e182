import { isObject, type Json, type JsonObject } from '../../values/json.ts';
import type { InputDefinition } from '../server-entry.ts';
import { membersBeside } from './members.ts';
import type { FormatShape, InputsShape } from './shape.ts';

const SANDBOX = 'is not followed here: the server runs without a sandbox. Start it in a container where that matters.';

const TYPES: Readonly<Record<string, InputDefinition['type']>> = {
  promptString: 'text',
  pickString: 'choice',
  command: 'command',
};

const inputs: InputsShape = {
  read: (value, report) => {
    const { id, type, description, password, options } = value;
    const kind = typeof type === 'string' && Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
    if (typeof id !== 'string' || id === '') report('id', 'must be a text that is not empty.');
    else if (kind === undefined) report('type', 'must be "promptString", "pickString" or "command".');
    else if (description !== undefined && typeof description !== 'string') report('description', 'must be a text.');
    else if (password !== undefined && typeof password !== 'boolean') report('password', 'must be true or false.');
    else if (options !== undefined && !isOptionList(options)) report('options', 'must be a list of choices.');
    else
      return {
        id,
        type: kind,
        ...(typeof description === 'string' && { description }),
        ...(password !== undefined && { isSecret: password }),
        ...(isOptionList(options) && { options: options.map(optionOf) }),
        ...(value['default'] !== undefined && { default: value['default'] }),
        ...membersBeside(value, ['id', 'type', 'description', 'password', 'options', 'default']),
      };
    return undefined;
  },
  write: (input, lose) => {
    const [word] = Object.entries(TYPES).find(([, type]) => type === input.type) ?? [];
    const text = input.description ?? input.title;
    if (word === undefined) lose('type', `VS Code has no input of the type ${input.type}; it asks for a text`);
    if (input.title !== undefined && input.description !== undefined) lose('title', 'VS Code shows one text');
    const members = { isRequired: 'required', isList: 'list', minimum: 'minimum', maximum: 'maximum' } as const;
    for (const [member, name] of Object.entries(members))
      if (input[member as keyof typeof members] !== undefined) lose(name, 'VS Code asks without this rule');
    return {
      type: word ?? 'promptString',
      id: input.id,
      ...(text !== undefined && { description: text }),
      ...(input.isSecret !== undefined && { password: input.isSecret }),
      ...(input.options !== undefined && {
        options: input.options.map(({ label, value }) => (label === value ? value : { label, value })),
      }),
      ...(input.default !== undefined && { default: input.default }),
    };
  },
};

type Choice = string | { readonly label: string; readonly value: string };

function isOptionList(value: Json | undefined): value is readonly Choice[] & Json {
  return Array.isArray(value) && value.every((item: Json) => typeof item === 'string' || isChoice(item));
}

function isChoice(value: Json): value is JsonObject & Choice {
  return isObject(value) && typeof value['label'] === 'string' && typeof value['value'] === 'string';
}

function optionOf(choice: Choice): { label: string; value: string } {
  return typeof choice === 'string' ? { label: choice, value: choice } : { label: choice.label, value: choice.value };
}

/** `.vscode/mcp.json` and `mcp.json` of a user profile. */
export const vscodeShape: FormatShape = {
  id: 'vscode',
  title: 'VS Code',
  key: 'servers',
  allowsComments: true,
  stdio: { fields: ['args', 'env', 'envFile', 'cwd'], allowsNull: true, writesType: true },
  remote: {
    types: { http: 'http', sse: 'sse' },
    withoutType: 'warning',
    oauth: { key: 'oauth', names: { clientId: 'clientId' } },
  },
  names: {},
  inputs,
  notFollowed: [{ key: 'sandboxEnabled', why: SANDBOX, matters: (value) => value === true }],
  restIsState: false,
};
