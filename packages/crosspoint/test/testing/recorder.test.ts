import { expect, it } from 'vitest';
import type { JSONRPCBatch, JSONRPCMessage } from '../../src/jsonrpc/message.ts';
import { Recorder } from '../../src/testing/index.ts';
import type { Transport, TransportSendOptions } from '../../src/transports/transport.ts';

class FakeTransport implements Transport {
  readonly sent: [JSONRPCMessage | JSONRPCBatch, TransportSendOptions | undefined][] = [];
  onmessage: Transport['onmessage'];
  onclose: Transport['onclose'];
  onerror: Transport['onerror'];
  onbadframe: Transport['onbadframe'];
  sessionId = 'session';
  version: string | undefined;
  start(): Promise<void> {
    return Promise.resolve();
  }
  send(message: JSONRPCMessage | JSONRPCBatch, options?: TransportSendOptions): void {
    this.sent.push([message, options]);
  }
  close(): Promise<void> {
    this.onclose?.();
    return Promise.resolve();
  }
  setProtocolVersion(version: string): void {
    this.version = version;
  }
}

it('writes down what passes in both directions and passes all of it on', async () => {
  const inner = new FakeTransport();
  const recorder = new Recorder(inner, { name: 'client' });
  const seen: unknown[] = [];
  recorder.onmessage = (message, extra) => seen.push(message, extra);
  recorder.onbadframe = (frame) => seen.push(frame);
  recorder.onerror = (error) => seen.push(error);
  recorder.onclose = () => seen.push('closed');
  await recorder.start();

  const question: JSONRPCMessage = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const answer: JSONRPCMessage = { jsonrpc: '2.0', id: 1, result: {} };
  const frame = { kind: 'unparsable', reason: 'no JSON', start: 'x' } as const;
  const error = new Error('x');
  await recorder.send(question, { relatedRequestId: 2 });
  inner.onmessage?.(answer, {});
  inner.onbadframe?.(frame);
  inner.onbadframe?.({ kind: 'too-large', limit: 5, id: undefined, isResponse: false });
  inner.onerror?.(error);
  recorder.setProtocolVersion('v');
  await recorder.close();

  expect(recorder.text).toBe(
    'client → {"jsonrpc":"2.0","id":1,"method":"ping"}\nclient ← {"jsonrpc":"2.0","id":1,"result":{}}\nclient ← (unparsable: no JSON)\nclient ← (larger than 5 bytes)\n',
  );
  expect(inner.sent).toEqual([[question, { relatedRequestId: 2 }]]);
  expect(seen).toEqual([answer, {}, frame, expect.objectContaining({ kind: 'too-large' }), error, 'closed']);
  expect(recorder.sessionId).toBe('session');
  expect(inner.version).toBe('v');
});

it('writes two ends into one record, and what cannot be written too', async () => {
  const lines: string[] = [];
  const left = new Recorder(new FakeTransport(), { lines, name: 'left' });
  const right = new Recorder(new FakeTransport(), { lines, name: 'right' });
  await left.send({ jsonrpc: '2.0', method: 'a' });
  await right.send({ jsonrpc: '2.0', method: 'b', params: { big: 1n } });
  expect(lines[0]).toBe('left → {"jsonrpc":"2.0","method":"a"}');
  expect(lines[1]).toMatch(/^right → \(not serialisable: /);
});
