import { McpServer, ToolError } from 'crosspoint/server';
import * as z from 'zod';

const Forecast = z.object({ celsius: z.number(), sky: z.string() });
const PATIENCE_MS = 10_000;

/** Queries a service on the network at `url`; its answer is checked before it is passed on. */
export function createWeatherServer(url: string): McpServer {
  const server = new McpServer({ name: 'weather', version: '1.0.0' });
  server.registerTool(
    'forecast',
    {
      description: 'The weather of tomorrow in a city',
      inputSchema: { city: z.string().min(1).max(100) },
      outputSchema: Forecast.extend({ city: z.string() }),
      annotations: { readOnlyHint: true, openWorldHint: true },
    },
    async ({ city }, { signal }) => {
      const address = new URL(url);
      address.searchParams.set('city', city);
      // Aborted when the client cancels, or when the service takes too long.
      const limits = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
      const response = await fetch(address, { signal: limits }).catch(() => undefined);
      // The message of a ToolError is for the model, which can then try something else.
      if (response === undefined) throw new ToolError('The weather service cannot be reached. Try again later.');
      if (response.status === 404) throw new ToolError(`There is no forecast for ${city}.`);
      const forecast = Forecast.safeParse(await response.json().catch(() => undefined));
      if (!response.ok || !forecast.success) throw new ToolError('The weather service is out of order.');
      return { structuredContent: { city, ...forecast.data } };
    },
  );
  return server;
}
