import { afterEach, describe, expect, it } from 'vitest';
import { McpServer } from 'crosspoint/server';
import { CARRIERS, closeAll } from '../carriers.ts';
import { open } from './cell.ts';

afterEach(closeAll);

describe.each(CARRIERS.flatMap((downBy) => CARRIERS.map((upBy) => ({ downBy, upBy }))))(
  'a server over $upBy that asks by itself as soon as it is connected, its client over $downBy',
  ({ downBy, upBy }) => {
    it('reaches the client when that is ready, outside of any call', async () => {
      const server = new McpServer(
        { name: 'eager', version: '1' },
        { revisions: 'handshake', capabilities: { logging: {} } },
      );
      const got: unknown[] = [];
      // Over HTTP, nothing can be sent to a client before its standing stream is open.
      const isPatient = downBy === 'http' || upBy === 'http';
      server.server.oninitialized = async () => {
        if (isPatient) await new Promise((resolve) => setTimeout(resolve, 300));
        void server.server.sendLoggingMessage({ level: 'info', data: 'hello' });
        void server.server.listRoots().then(
          (roots) => got.push(roots),
          (error: Error) => got.push(error.message),
        );
      };
      const logs: unknown[] = [];
      const { client } = await open(
        { down: 'handshake', up: 'handshake', downBy, upBy },
        {
          server,
          client: { capabilities: { roots: {} }, onlog: ({ data }) => logs.push(data) },
          prepare: (one) => one.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///mine' }] })),
        },
      );
      await expect.poll(() => got).toEqual([{ roots: [{ uri: 'file:///mine' }] }]);
      await expect.poll(() => logs).toEqual(['hello']);
      await client.ping();
    });
  },
);
