import { describe, expect } from 'vitest';
import { ProtocolError, type Client } from '../../src/client/index.ts';
import { until, type Bench } from './bench.ts';
import { failureOf, featureCase, testCase } from './subject.ts';

/**
 * Questions of the server to the client: requests after a handshake, part of an answer otherwise. Where the client has not declared one, or its
 * revision has no words for it, nobody is asked: after a handshake the model is told, otherwise the call is refused.
 */
export function askingCases(bench: Bench): void {
  const { subject } = bench;
  const handshake = subject.family === 'handshake';
  const notAsked = async (tool: string, client: Client = bench.client): Promise<void> => {
    const before = bench.asked.length;
    if (handshake)
      expect(await client.callTool({ name: tool })).toMatchObject({
        isError: true,
        content: [{ type: 'text', text: expect.stringContaining('The client has not declared') as string }],
      });
    else expect(await failureOf(client.callTool({ name: tool }))).toMatchObject({ code: -32021 });
    expect(bench.asked.length).toBe(before);
  };

  describe('elicitation', () => {
    featureCase(
      subject,
      'elicitation',
      {
        ids: 'L-ELICITATION-001, L-ELICITATION-005, L-ELICITATION-006, L-ELICITATION-008, L-ELICITATION-017, L-SCHEMA-009',
        idsWithout: 'L-SCHEMA-015',
        title: 'asks the user and gets an answer',
      },
      {
        has: async () => {
          let asked: unknown;
          bench.answers.elicit = (params) => {
            asked = params;
            return { action: 'accept', content: { name: 'Ada' } };
          };
          expect(JSON.parse(await bench.call('elicit'))).toEqual({ action: 'accept', content: { name: 'Ada' } });
          expect(asked).toMatchObject({
            message: 'Your name?',
            requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
          });
        },
        // Before elicitation existed the client cannot declare it, so the server sees none.
        lacks: () => notAsked('elicit'),
      },
    );

    featureCase(
      subject,
      'elicitation',
      { ids: 'L-ELICITATION-017, L-ELICITATION-018', title: 'tells declined from cancelled' },
      {
        has: async () => {
          for (const action of ['decline', 'cancel'] as const) {
            bench.answers.elicit = () => ({ action });
            expect(JSON.parse(await bench.call('elicit'))).toEqual({ action });
          }
        },
        lacks: () => notAsked('elicit'),
      },
    );

    featureCase(
      subject,
      'URL elicitation',
      {
        ids: 'L-ELICITATION-032, L-ELICITATION-036',
        idsWithout: 'L-SCHEMA-016',
        title: 'sends the user to an address',
      },
      {
        has: async () => {
          let asked: unknown;
          bench.answers.elicit = (params) => {
            asked = params;
            return { action: 'accept' };
          };
          expect(JSON.parse(await bench.call('elicit-url'))).toEqual({ action: 'accept' });
          expect(asked).toMatchObject({
            mode: 'url',
            url: 'https://example.com/sign-in',
            ...(handshake && { elicitationId: expect.any(String) }),
          });
        },
        lacks: () => notAsked('elicit-url'),
      },
    );

    testCase(
      subject,
      'L-ELICITATION-003, L-LIFECYCLE-016, L-LIFECYCLE-017, M-BASE-024, M-BASE-025, M-ERR-016',
      'is not asked of a client that did not declare it',
      async () => {
        const { client } = await bench.undeclared();
        await notAsked('elicit', client);
        if (handshake) return;
        const error = await failureOf(bench.call('elicit', undefined, client));
        expect(error).toMatchObject({ data: { requiredCapabilities: { elicitation: { form: {} } } } });
      },
    );
  });

  describe('sampling', () => {
    testCase(
      subject,
      'L-SAMPLING-001, L-SAMPLING-003, L-SAMPLING-004, L-SAMPLING-005, L-SAMPLING-006, L-SAMPLING-007',
      'asks for a completion of the model',
      async () => {
        let asked: unknown;
        bench.answers.sample = (params) => {
          asked = params;
          return { role: 'assistant', content: { type: 'text', text: 'Hello' }, model: 'small', stopReason: 'endTurn' };
        };
        expect(JSON.parse(await bench.call('sample'))).toEqual({
          role: 'assistant',
          content: { type: 'text', text: 'Hello' },
          model: 'small',
          stopReason: 'endTurn',
        });
        expect(asked).toMatchObject({
          messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }],
          maxTokens: 10,
        });
      },
    );

    featureCase(
      subject,
      'sampling with tools',
      { ids: 'L-SAMPLING-026', idsWithout: 'L-SCHEMA-016', title: 'may bring tools' },
      {
        has: async () => {
          let tools: unknown;
          bench.answers.sample = (params) => {
            ({ tools } = params);
            return { role: 'assistant', content: { type: 'text', text: 'ok' }, model: 'small' };
          };
          await bench.call('sample-tools');
          expect(tools).toEqual([{ name: 'calc', inputSchema: { type: 'object' } }]);
        },
        lacks: () => notAsked('sample-tools'),
      },
    );

    testCase(subject, 'L-SAMPLING-013', 'passes on that the user refused', async () => {
      bench.answers.sample = () => {
        throw new ProtocolError('user-rejected', 'User rejected sampling request');
      };
      expect(await failureOf(bench.call('sample'))).toMatchObject({
        code: -1,
        message: 'User rejected sampling request',
      });
    });

    testCase(
      subject,
      'L-SAMPLING-002, M-BASE-024, M-BASE-025',
      'is not asked of a client that did not declare it',
      async () => {
        const { client } = await bench.undeclared();
        for (const tool of ['sample', 'sample-tools']) await notAsked(tool, client);
      },
    );
  });

  describe('roots', () => {
    testCase(subject, 'L-ROOTS-001, L-ROOTS-004', 'are listed', async () => {
      expect(JSON.parse(await bench.call('roots'))).toEqual([{ uri: 'file:///home/ada', name: 'home' }]);
    });

    featureCase(
      subject,
      'roots changes',
      { ids: 'L-ROOTS-002', title: 'may change' },
      {
        has: async () => {
          const { client } = await bench.connect('everything');
          await client.sendRootsListChanged();
          expect(await bench.noted('roots changed', client)).toEqual(['roots changed']);
        },
        lacks: async () => {
          const before = bench.shared.lines.length;
          await bench.client.sendRootsListChanged();
          expect(bench.shared.lines.length).toBe(before);
        },
      },
    );

    testCase(subject, 'L-ROOTS-015', 'are not asked for where the client did not declare them', async () => {
      const { client } = await bench.undeclared();
      await notAsked('roots', client);
    });
  });

  describe('requests of the server', () => {
    featureCase(
      subject,
      'live questions',
      { ids: 'L-MESSAGES-026', idsWithout: 'M-BASE-047, M-BASE-048', title: 'are answered by the program, or refused' },
      {
        has: async () => {
          bench.client.setRequestHandler('example/upper', ({ params }) => ({
            text: String(params['text']).toUpperCase(),
          }));
          expect(JSON.parse(await bench.call('ask-custom'))).toEqual({ text: 'ABC' });
          expect((await failureOf(bench.call('ask-unknown'))).code).toBe(-32601);
        },
        lacks: async () => {
          for (const tool of ['ask-custom', 'ask-unknown'])
            expect((await failureOf(bench.call(tool))).code).toBe(-32603);
        },
      },
    );

    featureCase(
      subject,
      'live questions',
      { ids: 'L-CANCELLATION-004, L-LIFECYCLE-025', title: 'that take too long are cancelled at the client' },
      {
        has: async () => {
          let aborted = false;
          bench.client.setRequestHandler(
            'example/slow',
            (_request, { signal }) =>
              new Promise((resolve) =>
                signal.addEventListener('abort', () => {
                  aborted = true;
                  resolve({});
                }),
              ),
          );
          expect(await bench.call('ask-slow')).toBe('TransportError idle-timeout');
          await until(() => aborted, 'the abort');
        },
        lacks: async () => expect(await bench.call('ask-slow')).toBe('ProtocolError -32603'),
      },
    );
  });
}
