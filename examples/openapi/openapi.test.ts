import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connectLinked } from 'crosspoint/testing';
import { expect, it } from 'vitest';
import { createWeatherServer } from './weather.ts';

it('calls the API', async () => {
  const seen: (string | undefined)[] = [];
  const api = createServer((request, response) => {
    seen.push(request.url, request.headers['x-api-key'] as string);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"sunny":true}');
  }).listen(0, '127.0.0.1');
  await once(api, 'listening');
  const server = await createWeatherServer(`http://127.0.0.1:${(api.address() as AddressInfo).port}`, 'a-key');
  const { client, close } = await connectLinked(server);
  const result = await client.callTool({ name: 'weather_forecast', arguments: { city: 'São Paulo', days: 2 } });
  expect(result.structuredContent).toEqual({ sunny: true });
  expect(seen).toEqual(['/forecast/S%C3%A3o%20Paulo?days=2', 'a-key']);
  await close();
  api.closeAllConnections();
  api.close();
});
