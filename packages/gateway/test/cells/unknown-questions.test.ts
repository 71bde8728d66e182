import { afterEach, describe, expect, it } from 'vitest';
import { bridge } from '../../src/index.ts';
import { FAMILIES, atEnd, closeAll, connected, serveHttp } from '../carriers.ts';
import { scripted, told } from '../hostile/scripted.ts';
import { ABLE, answering } from './cell.ts';

afterEach(closeAll);

describe.each(FAMILIES)(
  'a server with a handshake that sends a request nobody knows, in a call of a %s client',
  (family) => {
    it('is told that there is no such method, and the call goes on', async () => {
      const script = await scripted({
        odd: ({ id, line }) => {
          line.write({ jsonrpc: '2.0', id: 'odd', method: 'example/ask', params: {} });
          const timer = setInterval(() => {
            if (!line.answers.has('odd')) return;
            clearInterval(timer);
            line.write({ jsonrpc: '2.0', id, result: told('went on') });
          }, 5);
          atEnd(() => clearInterval(timer));
        },
      });
      const face = bridge(script.upstream);
      const url = await serveHttp(face);
      atEnd(() => face.close());
      const client = await connected(url, { ...ABLE, revisions: family }, answering);
      expect(await client.callTool({ name: 'odd' })).toMatchObject(told('went on'));
      const [answer] = [...script.open].flatMap(({ answers }) => [...answers.values()]);
      expect(answer).toMatchObject({ code: -32601 });
    });
  },
);
