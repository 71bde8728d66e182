import { randomUUID } from 'node:crypto';
import type { Transport } from 'crosspoint/client';
import { Server } from 'crosspoint/server';
import type { JsonObject } from '@crosspoint/host';
import type { ServerEntry } from '@crosspoint/host/config';
import type { OpenServer } from '../../server/open-server.ts';
import type { OperationEvent } from '../../server/operations.ts';

/**
 * A kept connection as a server of another host, so that a model uses the server with the state that it has. Its tools alone are there; its questions go
 * to `onevent`.
 */
export async function keptEntry(kept: OpenServer, onevent: (event: OperationEvent) => void): Promise<ServerEntry> {
  const { instructions, server: info } = await kept.request('show', {});
  const open = async (): Promise<Transport> => {
    const server = new Server(
      { name: info.name, version: info.version },
      { capabilities: { tools: {} }, ...(instructions !== undefined && { instructions }) },
    );
    server.setRequestHandler('tools/list', async () => ({ tools: [...(await kept.request('tools.list', {})).tools] }));
    server.setRequestHandler('tools/call', ({ params }, { signal, progress }) =>
      kept.request(
        'tools.call',
        { tool: String(params.name), arguments: (params.arguments ?? {}) as JsonObject, call: randomUUID() },
        {
          signal,
          onevent(event) {
            if (event.type === 'progress') progress(event.progress, event.total, event.message);
            else onevent(event);
          },
        },
      ),
    );
    const [near, far] = linkedPair();
    await server.connect(far);
    return near;
  };
  return {
    name: kept.name,
    reach: { type: 'transport', open },
    origin: { format: 'program', scope: 'program' },
  };
}

type Message = Parameters<NonNullable<Transport['onmessage']>>[0];

/** Two ends in this process: messages of one come to the other, in order. */
function linkedPair(): [Transport, Transport] {
  const near = new LinkedEnd();
  const far = new LinkedEnd();
  near.other = far;
  far.other = near;
  return [near, far];
}

class LinkedEnd implements Transport {
  onmessage: Transport['onmessage'];
  onclose: Transport['onclose'];
  onerror: Transport['onerror'];
  other: LinkedEnd | undefined;

  async start(): Promise<void> {}

  async send(message: Message): Promise<void> {
    const { other } = this;
    if (other === undefined) throw new Error('The connection is closed.');
    queueMicrotask(() => other.onmessage?.(structuredClone(message)));
  }

  async close(): Promise<void> {
    const { other } = this;
    this.other = undefined;
    if (other === undefined) return;
    this.onclose?.();
    await other.close();
  }
}
