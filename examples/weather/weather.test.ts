import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { protocolRevisions } from 'crosspoint';
import { Client } from 'crosspoint/client';
import { connectLinked } from 'crosspoint/testing';
import { afterEach, expect, test } from 'vitest';
import { serve } from '../node-http/serve.ts';
import { startForecasts } from './forecasts.ts';
import { createWeatherServer } from './weather-server.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

test.each(['handshake', 'per-request'] as const)('tells the weather over HTTP in the %s family', async (family) => {
  const forecasts = await startForecasts();
  closers.push(() => forecasts.close());
  const running = await serve(createWeatherServer(forecasts.url), 0);
  closers.push(() => running.close());
  const client = new Client({ name: 'test', version: '1.0.0' });
  closers.push(() => client.close());
  await client.connect({ url: running.url, family });
  const result = await client.callTool({ name: 'forecast', arguments: { city: 'Bergen' } });
  expect(result.structuredContent).toEqual({ city: 'Bergen', celsius: 9, sky: 'rain' });
  const unknown = await client.callTool({ name: 'forecast', arguments: { city: 'Nowhere' } });
  expect(unknown).toMatchObject({ isError: true, content: [{ text: 'There is no forecast for Nowhere.' }] });
});

test('says plainly that the service is out of order, or gone', async () => {
  const broken = createServer((_request, response) => response.end('{"celsius":"warm"}'));
  await new Promise<void>((resolve) => broken.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(broken.address() as AddressInfo).port}/`;
  const { client, close } = await connectLinked(createWeatherServer(url), { revision: protocolRevisions[0]?.id ?? '' });
  closers.push(close);
  const ask = () => client.callTool({ name: 'forecast', arguments: { city: 'Athens' } });
  expect(await ask()).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('out of order') }] });
  broken.closeAllConnections();
  await new Promise((resolve) => broken.close(resolve));
  expect(await ask()).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('cannot be reached') }],
  });
});
