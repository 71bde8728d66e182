import { serveStdio } from 'crosspoint/server/stdio';
import { createAskingServer } from './asking-server.ts';
import { Calendar } from './calendar.ts';

const calendar = new Calendar();
await calendar.start();
await serveStdio(createAskingServer({ calendar }));
