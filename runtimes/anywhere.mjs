/** Checks for every runtime: the entry points load, a server answers through `fetch` alone, and a client reaches a server over HTTP. */
import * as root from 'crosspoint';
import * as client from 'crosspoint/client';
import * as schema from 'crosspoint/schema';
import * as server from 'crosspoint/server';
import * as testing from 'crosspoint/testing';
import { FAMILIES, attempt, visit, visitAddress } from './checks.mjs';
import { createServer } from '../examples/runtimes/server.js';
import { throughTheGate } from './protected.mjs';

async function loads() {
  const wanted = {
    protocolRevisions: root,
    Client: client,
    McpServer: server,
    createMcpHandler: server,
    compileSchema: schema,
    connectLinked: testing,
  };
  const missing = Object.keys(wanted).filter((name) => wanted[name][name] === undefined);
  if (missing.length > 0) throw new Error(`not exported: ${missing.join(', ')}`);
}

/** A client and a server on this runtime, connected by `Request` and `Response` alone. */
async function throughFetch() {
  const results = [];
  for (const family of FAMILIES) {
    const handler = server.createMcpHandler(createServer());
    const fetch = (input, init) => handler.fetch(new Request(input, init));
    const url = 'http://localhost/mcp';
    results.push(...(await visit('fetch', family, (visitor) => visitor.connect({ url, fetch }))));
    results.push(await attempt(`fetch, ${family}: ends`, () => handler.close({ grace: 1000 })));
  }
  return results;
}

export async function probe(url) {
  return [
    await attempt('loads: by import', loads),
    ...(await throughFetch()),
    await throughTheGate(),
    ...(await visitAddress('client', url)),
  ];
}
