// Serves a function from a request to a response on a port of loopback, and prints the address.
import { serve } from '@hono/node-server';

export const serveFetch = (fetch) =>
  serve({ fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => console.log(`http://127.0.0.1:${port}/mcp`));
