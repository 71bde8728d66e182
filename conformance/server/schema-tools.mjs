import { fromJsonSchema } from 'crosspoint/schema';
import { text } from 'crosspoint/server';
import { CONTACT, MIRRORED } from './schemas.mjs';

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
