import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const FORECASTS: Record<string, { celsius: number; sky: string }> = {
  athens: { celsius: 31, sky: 'clear' },
  bergen: { celsius: 9, sky: 'rain' },
  lisbon: { celsius: 24, sky: 'clouds' },
};

/** Stands in for a weather service: the same answers every day, from this machine. */
export async function startForecasts() {
  const http = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const forecast = FORECASTS[searchParams.get('city')?.toLowerCase() ?? ''];
    response.writeHead(forecast === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(forecast ?? { error: 'unknown city' }));
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/forecast`,
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
