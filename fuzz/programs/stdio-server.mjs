// The fuzzed server over stdio. Errors that would end a program are written to stderr, where the target reads them.
import { StdioServerTransport } from 'crosspoint/server/stdio';
import { createFuzzedServer } from '../subjects/server.mjs';

await createFuzzedServer({ pageSize: 5 }).connect(new StdioServerTransport());
