import { hasRedis, startRedis } from '../measure/redis.mjs';
import { CONNECTIONS, HTTP_METRICS, sampleHttp } from './http-calls.mjs';
import { openSessions } from './http-sessions.mjs';

async function sampleShared(variant, settings) {
  const common = {
    mode: 'session',
    openSessions: (port) => openSessions(port, { count: CONNECTIONS, atOnce: CONNECTIONS }),
    ...variant,
  };
  if (!variant.needsRedis) return sampleHttp(common, settings);
  const redis = await startRedis();
  try {
    return await sampleHttp({ ...common, serverOptions: { redis: redis.url }, pids: [redis.pid] }, settings);
  } finally {
    await redis.stop();
  }
}

export const w14 = {
  id: 'w14',
  title: 'HTTP sessions that several processes can serve: kept in Redis',
  note:
    'As w3, with Redis on the core of the driver. raw + Redis looks its session up in Redis for every request and keeps nothing else there; ' +
    'Crosspoint keeps the session and every event that a client may come back for.',
  unless: () => (hasRedis() ? undefined : 'there is no redis-server here'),
  metrics: HTTP_METRICS,
  reference: 'raw + Redis',
  sample: sampleShared,
  variants: [
    { label: 'raw + Redis', subject: 'raw', needsRedis: true },
    { label: 'crosspoint + Redis', subject: 'crosspoint', needsRedis: true },
    { label: 'crosspoint', subject: 'crosspoint' },
  ],
  targets: [],
};
