import { expect, test } from 'vitest';
import type { JSONRPCMessage } from '../../src/jsonrpc/message.ts';
import { InMemoryTransport } from '../../src/transports/memory/in-memory-transport.ts';

const note = (method: string): JSONRPCMessage => ({ jsonrpc: '2.0', method });

function pair(options?: { text?: boolean }): { one: InMemoryTransport; two: InMemoryTransport; log: string[] } {
  const [one, two] = InMemoryTransport.createLinkedPair(options);
  const log: string[] = [];
  for (const [name, end] of Object.entries({ one, two })) {
    end.onmessage = (message) => log.push(`${name} got ${'method' in message ? message.method : 'an answer'}`);
    end.onclose = () => log.push(`${name} closed`);
    end.onerror = (error) => log.push(`${name} failed: ${error.message}`);
  }
  return { one, two, log };
}

test('messages sent before the other side started wait for it, in order', async () => {
  const { one, two, log } = pair();
  await one.start();
  one.send(note('a'));
  one.send(note('b'));
  await Promise.resolve();
  expect(log).toEqual([]);
  await two.start();
  await Promise.resolve();
  expect(log).toEqual(['two got a', 'two got b']);
});

test('delivery is one microtask later, never inside send', async () => {
  const { one, two, log } = pair();
  await Promise.all([one.start(), two.start()]);
  expect(one.send(note('a'))).toBeUndefined();
  expect(log).toEqual([]);
  await Promise.resolve();
  expect(log).toEqual(['two got a']);
});

test('close delivers what was sent, closes both ends once, and later sends throw', async () => {
  const { one, two, log } = pair();
  await Promise.all([one.start(), two.start()]);
  one.send(note('a'));
  await one.close();
  await two.close();
  expect(log).toEqual(['one closed', 'two got a', 'two closed']);
  expect(() => one.send(note('b'))).toThrow(expect.objectContaining({ code: 'closed' }));
  expect(() => two.send(note('b'))).toThrow(expect.objectContaining({ code: 'closed' }));
  await expect(one.start()).rejects.toMatchObject({ code: 'closed' });
});

test('closing does not wait for an end that never started; it learns of the end when it starts', async () => {
  const { one, two, log } = pair();
  await one.start();
  one.send(note('a'));
  await one.close();
  expect(log).toEqual(['one closed']);
  await two.start();
  await Promise.resolve();
  expect(log).toEqual(['one closed', 'two got a', 'two closed']);
});

test('closing inside a handler stops delivery', async () => {
  const { one, two, log } = pair();
  await Promise.all([one.start(), two.start()]);
  two.onmessage = () => void two.close();
  one.send(note('a'));
  one.send(note('b'));
  await new Promise((resolve) => setImmediate(resolve));
  expect(log).toEqual(['two closed', 'one closed']);
});

test('both ends may close at once', async () => {
  const { one, two, log } = pair();
  await Promise.all([one.start(), two.start()]);
  await Promise.all([one.close(), two.close()]);
  expect(log).toEqual(['one closed', 'two closed']);
});

test('objects pass as they are, or as JSON text when asked', async () => {
  const got: unknown[] = [];
  for (const text of [false, true]) {
    const [one, two] = InMemoryTransport.createLinkedPair({ text });
    two.onmessage = (message) => got.push(message);
    await Promise.all([one.start(), two.start()]);
    const message: JSONRPCMessage = { jsonrpc: '2.0', method: 'm', params: { gone: undefined } };
    one.send(message);
    await Promise.resolve();
    expect(got.at(-1) === message).toBe(!text);
  }
  expect(got).toStrictEqual([
    { jsonrpc: '2.0', method: 'm', params: { gone: undefined } },
    { jsonrpc: '2.0', method: 'm', params: {} },
  ]);
  const [one] = InMemoryTransport.createLinkedPair({ text: true });
  expect(() => one.send({ jsonrpc: '2.0', method: 'm', params: { big: 1n } })).toThrow(TypeError);
});

test('auth info travels with its message, and a throwing handler reaches onerror', async () => {
  const { one, two, log } = pair();
  const extras: unknown[] = [];
  await Promise.all([one.start(), two.start()]);
  two.onmessage = (_message, extra) => {
    extras.push(extra);
    throw new Error('broken handler');
  };
  one.send(note('a'), { authInfo: { token: 't', clientId: 'c', scopes: [] } });
  one.send(note('b'));
  await Promise.resolve();
  expect(extras).toEqual([{ authInfo: { token: 't', clientId: 'c', scopes: [] } }, undefined]);
  expect(log).toEqual(['two failed: broken handler', 'two failed: broken handler']);
});
