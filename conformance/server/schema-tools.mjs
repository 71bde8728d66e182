import { fromJsonSchema } from 'crosspoint/schema';
import { text } from 'crosspoint/server';

/** Uses keywords that only the 2020-12 dialect has; must be listed exactly as it stands here. */
const CONTACT = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of the schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

const MIRRORED = {
  type: 'object',
  properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, query: { type: 'string' } },
};

/** Tools that are tested for their input schemas. */
export function registerSchemaTools(server) {
  server.registerTool(
    'json_schema_2020_12_tool',
    { description: 'Takes a contact, described in JSON Schema 2020-12.', inputSchema: fromJsonSchema(CONTACT) },
    (contact) => text(`JSON Schema 2020-12 tool called with: ${JSON.stringify(contact)}`),
  );
  server.registerTool(
    'test_x_mcp_header',
    { description: 'Takes an argument that HTTP requests repeat in a header.', inputSchema: fromJsonSchema(MIRRORED) },
    ({ region = 'nowhere' }) => text(`The region is ${region}.`),
  );
}
