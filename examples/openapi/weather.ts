import { fromOpenApi } from '@crosspoint/openapi';
import { McpServer } from 'crosspoint/server';
import { mount } from 'crosspoint/server/mounting';

/** The OpenAPI document of a weather service. */
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Weather', version: '1.0.0' },
  paths: {
    '/forecast/{city}': {
      get: {
        operationId: 'forecast',
        summary: 'The weather of the next days',
        parameters: [
          { name: 'city', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'days', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 7 } },
        ],
        responses: {
          200: {
            description: 'The forecast.',
            content: {
              'application/json': {
                schema: { type: 'object', properties: { sunny: { type: 'boolean' } }, required: ['sunny'] },
              },
            },
          },
        },
      },
    },
  },
};

/** A server that offers the API at `baseUrl` beside its own tools. */
export async function createWeatherServer(baseUrl: string, apiKey: string): Promise<McpServer> {
  const server = new McpServer({ name: 'assistant', version: '1.0.0' });
  mount(server, 'weather', await fromOpenApi(DOCUMENT, { baseUrl, headers: { 'X-Api-Key': apiKey } }));
  return server;
}
