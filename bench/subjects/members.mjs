// A schema with many members, and arguments that fulfil it.
export { SERVER_INFO } from './tools.mjs';

const named = (count, make) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, make(at)]));

export const schemaOf = (count) => ({
  type: 'object',
  properties: named(count, (at) =>
    at % 2 === 0
      ? { type: 'string', maxLength: 100 }
      : { type: 'integer', minimum: 0, description: `The member ${at}` },
  ),
  required: Array.from({ length: count }, (_, at) => `m${at}`),
  additionalProperties: false,
});

export const argumentsOf = (count) => named(count, (at) => (at % 2 === 0 ? 'a text' : at));
