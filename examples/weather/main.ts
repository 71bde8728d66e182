import { serve } from '../node-http/serve.ts';
import { startForecasts } from './forecasts.ts';
import { createWeatherServer } from './weather-server.ts';

const forecasts = await startForecasts();
const running = await serve(createWeatherServer(forecasts.url), Number(process.env['PORT'] ?? 3000));
console.log(running.url);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void Promise.all([running.close(), forecasts.close()]));
