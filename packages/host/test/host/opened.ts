import { fileURLToPath } from 'node:url';
import { InMemoryTransport } from 'crosspoint/testing';
import type { McpServer } from 'crosspoint/server';
import { Host } from '../../src/host.ts';
import type { HostOptions, ProgramServer } from '../../src/host-options.ts';
import type { AnswerTo, InboxItem, QuestionKind } from '../../src/inbox/item.ts';

const PROGRAM = fileURLToPath(new URL('../programs/server.mjs', import.meta.url));

/** A child that runs the test server with these arguments. */
export function child(name: string, ...args: string[]): ProgramServer {
  return { command: process.execPath, args: [PROGRAM, '--name', name, ...args] };
}

/** A server of this process. `sent` gets the JSON of every message that it is sent. */
export function inProcess(server: McpServer, sent?: string[]): ProgramServer {
  return {
    transport: async () => {
      const [near, far] = InMemoryTransport.createLinkedPair();
      const send = near.send.bind(near);
      if (sent !== undefined)
        near.send = (message, options) => {
          sent.push(JSON.stringify(message));
          return send(message, options);
        };
      await server.connect(far);
      return near;
    },
  };
}

const open: Host[] = [];

export function openHost(options: Partial<HostOptions> = {}): Host {
  const host = new Host({
    name: 'test-host',
    version: '1.0.0',
    retry: { initialDelayMs: 20, maxDelayMs: 200 },
    ...options,
  });
  open.push(host);
  return host;
}

export async function closeHosts(): Promise<void> {
  await Promise.all(open.splice(0).map((host) => host.close()));
}

/** Answers every question of a kind, and writes down the questions. */
export function answering<K extends QuestionKind>(
  host: Host,
  kind: K,
  answer: (item: InboxItem<K>) => AnswerTo<K>,
): InboxItem<K>[] {
  const seen: InboxItem<K>[] = [];
  host.inbox.watch((change) => {
    if (change.type !== 'asked' || change.item.kind !== kind) return;
    const item = change.item as InboxItem<K>;
    seen.push(item);
    host.inbox.answer(item.id, answer(item));
  });
  return seen;
}
