import { describe, expect } from 'vitest';
import { kindOf, type JSONRPCMessage } from '../../src/jsonrpc/message.ts';
import type { Bench } from './bench.ts';
import { parseLines, testCase } from './subject.ts';

/** What holds for everything that the cases before have said on the shared connection. */
export function wireCases(bench: Bench): void {
  const { subject } = bench;
  const messages = () =>
    parseLines(bench.shared.lines).map(({ sent, message }) => ({
      sent,
      message,
      kind: kindOf(message as JSONRPCMessage),
    }));

  describe('the whole conversation', () => {
    testCase(
      subject,
      'L-MESSAGES-001, L-MESSAGES-011, L-MESSAGES-020, M-BASE-002',
      'consists of single messages of JSON-RPC 2.0',
      async () => {
        const all = messages();
        expect(all.length).toBeGreaterThan(500);
        expect(all.filter(({ kind }) => kind === 'invalid')).toEqual([]);
      },
    );

    testCase(
      subject,
      'L-MESSAGES-003, L-MESSAGES-004, L-MESSAGES-005, M-BASE-003, M-BASE-004, M-BASE-005',
      'never uses an id twice',
      async () => {
        for (const side of [true, false]) {
          const ids = messages().flatMap(({ sent, kind, message }) =>
            kind === 'request' && sent === side ? [`${typeof message['id']} ${message['id']}`] : [],
          );
          expect(new Set(ids).size).toBe(ids.length);
        }
      },
    );

    testCase(
      subject,
      'L-MESSAGES-006, L-MESSAGES-007, L-MESSAGES-010, M-BASE-006, M-BASE-007',
      'answers only what was asked, and once',
      async () => {
        for (const side of [true, false]) {
          const asked = new Set(
            messages().flatMap(({ sent, kind, message }) =>
              kind === 'request' && sent === side ? [message['id'] as unknown] : [],
            ),
          );
          const answered = messages().flatMap(({ sent, kind, message }) =>
            (kind === 'result' || kind === 'error') && sent !== side ? [message['id'] as unknown] : [],
          );
          expect(new Set(answered).size).toBe(answered.length);
          expect(answered.filter((id) => !asked.has(id))).toEqual([]);
        }
      },
    );

    testCase(
      subject,
      'M-BASE-047, M-BASE-048, M-BASE-049, M-STDIO-006, M-STDIO-007',
      'keeps to the directions of its family',
      async () => {
        const answersOfClient = messages().filter(({ sent, kind }) => sent && (kind === 'result' || kind === 'error'));
        const requestsOfServer = messages().filter(({ sent, kind }) => !sent && kind === 'request');
        expect(answersOfClient.length).toBe(requestsOfServer.length - (subject.family === 'handshake' ? 1 : 0));
        if (subject.family === 'per-request') expect(requestsOfServer).toEqual([]);
        else expect(requestsOfServer.length).toBeGreaterThan(0);
      },
    );

    testCase(subject, 'M-BASE-001', 'uses every pattern of messages that its family has', async () => {
      expect(messages().some(({ sent, kind }) => !sent && kind === 'result')).toBe(true);
      const rounds = messages().filter(
        ({ sent, message }) => !sent && message['result']?.resultType === 'input_required',
      );
      const retries = messages().filter(({ sent, message }) => sent && message['params']?.inputResponses !== undefined);
      expect(rounds.length > 0 && retries.length > 0).toBe(subject.family === 'per-request');
      if (subject.family === 'handshake') return;
      const handle = await bench.client.listen({ toolsListChanged: true });
      expect(handle.honored).toEqual({ toolsListChanged: true });
      handle.close();
      expect(await handle.closed).toBe('local');
    });

    testCase(subject, 'M-BASE-008, M-BASE-019, M-BASE-028', 'carries the envelope of its family, or none', async () => {
      const key = 'io.modelcontextprotocol/';
      const perRequest = subject.family === 'per-request';
      for (const { sent, kind, message } of messages()) {
        if (kind === 'result' && !sent) {
          expect('resultType' in message['result']).toBe(perRequest);
          expect(`${key}serverInfo` in (message['result']._meta ?? {})).toBe(perRequest);
        }
        if (kind === 'request' && sent)
          expect(`${key}protocolVersion` in (message['params']?._meta ?? {})).toBe(perRequest);
      }
    });
  });
}
