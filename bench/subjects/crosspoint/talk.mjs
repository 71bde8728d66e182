import { InMemoryTransport } from 'crosspoint/testing';

const CLIENT = { name: 'bench-driver', version: '1.0.0' };

/** Opens a conversation with a server in this process, in messages as text and without a client. Returns a function that asks and gives the result. */
export async function talkTo(server) {
  const [near, far] = InMemoryTransport.createLinkedPair({ text: true });
  const pending = new Map();
  let lastId = 0;
  near.onmessage = ({ id, method, result, error }) => {
    if (method !== undefined) return;
    const { resolve, reject } = pending.get(id);
    pending.delete(id);
    if (error === undefined) resolve(result);
    else reject(new Error(JSON.stringify(error)));
  };
  await near.start();
  await server.connect(far);
  const ask = (method, params) =>
    new Promise((resolve, reject) => {
      const id = ++lastId;
      pending.set(id, { resolve, reject });
      near.send({ jsonrpc: '2.0', id, method, params });
    });
  await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: CLIENT });
  near.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return ask;
}
