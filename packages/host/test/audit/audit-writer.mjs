// Writes events to a log in Redis (an address) or SQLite (a file) until it is killed, and prints how many are certainly written.
import { createClient } from '@redis/client';
import { AuditLog } from '@crosspoint/host';
import { redisStore } from 'crosspoint/stores/redis';
import { sqliteStore } from 'crosspoint/stores/sqlite';

const [, , place, writer] = process.argv;
const { DatabaseSync } = await import('node:sqlite').catch(() => import('@photostructure/sqlite'));
const store = place.startsWith('redis:')
  ? redisStore(createClient({ url: place }), { prefix: '{processes}:' })
  : sqliteStore(new DatabaseSync(place));
const audit = new AuditLog({ store, onproblem: (error) => console.error(error.message) });
for (let i = 1; ;) {
  for (let batch = 0; batch < 5; batch++, i++) audit.write({ type: 'call', details: { writer: Number(writer), i } });
  if (await audit.flush()) console.log(`${writer} ${i - 1}`);
}
