// The fuzzed server over stdio. What would end a program is written to stderr, where the target looks for it.
import { StdioServerTransport } from 'crosspoint/server/stdio';
import { createFuzzedServer } from '../subjects/server.mjs';

await createFuzzedServer({ pageSize: 5 }).connect(new StdioServerTransport());
