// Methods of one's own, a transport of one's own, and what answers when nothing else does.
import * as z from 'zod/v4';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, MessageExtraInfo, Request } from '@modelcontextprotocol/sdk/types.js';
import { say, refusal } from '../say.mjs';

class LetterTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage, extra?: MessageExtraInfo) => void;
  sessionId = 'by-post';
  other?: LetterTransport;
  started = 0;

  async start(): Promise<void> {
    this.started += 1;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const letter = JSON.stringify(message);
    setImmediate(() => this.other?.onmessage?.(JSON.parse(letter) as JSONRPCMessage));
  }

  async close(): Promise<void> {
    const { other } = this;
    delete this.other;
    if (other !== undefined) delete other.other;
    this.onclose?.();
    other?.onclose?.();
  }
}

const AddRequestSchema = z.object({
  method: z.literal('sums/add'),
  params: z.object({ a: z.number(), b: z.number() }),
});
const AddResultSchema = z.object({ sum: z.number() });
const DoneNotificationSchema = z.object({
  method: z.literal('notifications/sums/done'),
  params: z.object({ sum: z.number() }),
});
type SumsNotification = z.infer<typeof DoneNotificationSchema>;

const server = new Server<Request, SumsNotification>({ name: 'sums', version: '1.0.0' });
server.setRequestHandler(AddRequestSchema, async ({ params: { a, b } }, { sendNotification, sessionId }) => {
  await sendNotification({ method: 'notifications/sums/done', params: { sum: a + b } });
  return { sum: a + b, sessionId };
});
server.fallbackRequestHandler = async ({ method }) => ({ answered: method });
const unheard: string[] = [];
server.fallbackNotificationHandler = async ({ method }) => {
  unheard.push(method);
};

const client = new Client({ name: 'pupil', version: '1.0.0' });
const done: number[] = [];
client.setNotificationHandler(DoneNotificationSchema, ({ params }) => {
  done.push(params.sum);
});

const [near, far] = [new LetterTransport(), new LetterTransport()];
near.other = far;
far.other = near;
let userClosed = 0;
near.onclose = () => {
  userClosed += 1;
};
await server.connect(near);
await client.connect(far);
say('started', [near.started, far.started]);
say(
  'sum',
  await client.request(
    { method: 'sums/add', params: { a: 2, b: 3 } },
    AddResultSchema.extend({ sessionId: z.string() }),
  ),
);
say('notified', done);
say('fallback', await client.request({ method: 'sums/other' }, z.object({ answered: z.string() })));
say(
  'of another kind',
  (
    (await refusal(client.request({ method: 'sums/add', params: { a: 'two', b: 3 } }, AddResultSchema))) as {
      code: number;
    }
  ).code < 0,
);
await client.notification({ method: 'notifications/roots/list_changed' }).catch(() => say('not declared'));
server.setRequestHandler(z.object({ method: z.literal('sums/subtract') }), () => ({ sum: 0 }));
server.removeRequestHandler('sums/add');
server.assertCanSetRequestHandler('sums/add');
say(
  'removed',
  await client.request({ method: 'sums/add', params: { a: 1, b: 1 } }, z.object({ answered: z.string() })),
);
say(
  'taken',
  await refusal(Promise.resolve().then(() => server.assertCanSetRequestHandler('sums/subtract'))).then(
    (failure) => (failure as { name?: string }).name,
  ),
);
client.removeNotificationHandler('notifications/sums/done');
say('transport', client.transport === far);
let closed = 0;
server.onclose = () => {
  closed += 1;
};
await client.close();
say('closed', { closed, userClosed, transport: client.transport === undefined });
say('done');
