import { describe, expect, it } from 'vitest';
import { serialise } from '../../src/jsonrpc/serialise.ts';
import type { JSONRPCMessage } from '../../src/jsonrpc/message.ts';
import { revisions } from '../../src/revisions/index.ts';
import { changeWords } from '../../src/server/changes/listening.ts';
import { McpServer } from '../../src/server/index.ts';
import { InMemoryTransport } from '../../src/testing/index.ts';
import { until } from '../until.ts';

const handshakes = revisions.filter(({ family }) => family === 'handshake');

describe('a change that many are told of', () => {
  it.each(handshakes)('is written once for all sessions of $id, as it would be for one', (revision) => {
    const change = { kind: 'resource', uri: 'file:///a' } as const;
    const words = changeWords(change, revision);
    expect(words).toEqual({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'file:///a' } });
    expect(changeWords(change, revision)).toBe(words);
    expect(serialise(words as JSONRPCMessage)).toBe(JSON.stringify(words));
    expect(changeWords({ ...change }, revision)).not.toBe(words);
  });

  it('reaches each of them unaltered, whatever another does with it', async () => {
    const server = new McpServer({ name: 'shop', version: '1' }, { capabilities: { tools: { listChanged: true } } });
    const told: JSONRPCMessage[] = [];
    const refused: unknown[] = [];
    const meddle = (message: JSONRPCMessage): void => {
      if (!('method' in message)) return;
      try {
        Object.assign(message.params ?? {}, { meddled: true });
      } catch (error) {
        refused.push(error);
      }
    };
    for (const receive of [meddle, (message: JSONRPCMessage): void => void told.push(message)]) {
      const [near, far] = InMemoryTransport.createLinkedPair();
      await server.connect(far);
      near.onmessage = receive;
      await near.start();
      const clientInfo = { name: 'c', version: '1' };
      const params = { protocolVersion: handshakes[0]?.id ?? '', capabilities: {}, clientInfo };
      near.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
      near.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    }
    await until(() => told.some((message) => 'result' in message));
    server.sendToolListChanged();
    await until(() => told.some((message) => 'method' in message));
    expect(told.find((message) => 'method' in message)).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/tools/list_changed',
      params: {},
    });
    expect(refused).toHaveLength(1);
    expect(refused[0]).toBeInstanceOf(TypeError);
    await server.close();
  });
});
