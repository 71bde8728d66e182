import { Client } from 'crosspoint/client';
import { McpServer, text } from 'crosspoint/server';
import { telemetry, type TelemetryOptions } from 'crosspoint/telemetry';
import * as z from 'zod';

/** A server whose calls, and the requests they make, are spans of one trace. */
export function createTracedServer(options: TelemetryOptions = {}): McpServer {
  const server = new McpServer({ name: 'weather', version: '1.0.0' });
  server.use(telemetry(options));
  server.registerTool('get_weather', { inputSchema: { city: z.string() } }, ({ city }) => text(`${city}: sunny`));
  return server;
}

export function createTracedClient(options: TelemetryOptions = {}): Client {
  const client = new Client({ name: 'host', version: '1.0.0' });
  client.use(telemetry(options));
  return client;
}
