import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { proves } from '../../packages/crosspoint/test/requirements/proves.ts';
import {
  CALL,
  asker,
  folder,
  hasTerminal,
  startAsker,
  startWith,
  visited,
} from '../../packages/host/test/terminal/screen.ts';
import { serve } from '../protected-notes/serve.ts';

const URL_QUESTION = '[accept / decline / cancel]';

describe.skipIf(!hasTerminal)('questions of servers in the terminal', () => {
  proves(
    'L-ELICITATION-026, L-ELICITATION-027, L-ELICITATION-028, L-ELICITATION-029, M-ELI-006, M-ELI-007, M-ELI-008, L-ELICITATION-015, L-ELICITATION-031, M-ELI-014, M-ELI-026',
  ).it(
    'shows which server asks with a form, and the answers before they are sent; they can be changed, declined and cancelled',
    async () => {
      const screen = await startAsker();
      screen.type('call asker__form');
      await screen.answer('is about to run the tool', CALL, 'session');
      expect(await screen.answer('asks you for information', '[answer / decline / cancel]', 'answer')).toContain(
        'The server "asker" asks you for information',
      );
      for (const [label, line] of [
        ['name: ', 'A'],
        ['age (optional): ', 'old'],
      ] as const) {
        await screen.shows(label);
        screen.type(line);
      }
      // The default stands on the line.
      await screen.shows(/plan.*: free/);
      screen.retype('paid');
      const review = await screen.answer('These answers go to', '[send / change / decline / cancel]', 'send');
      expect(review).toContain(
        'These answers go to the server "asker":\n   1. name: A\n   2. age: old\n   3. plan: paid',
      );
      await screen.shows('They do not fit:');
      await screen.answer('These answers go to', '[send / change / decline / cancel]', 'change');
      await screen.shows('The number of the answer to change:');
      screen.type('1');
      await screen.shows('name: A');
      screen.retype('Ada');
      await screen.answer('These answers go to', '[send / change / decline / cancel]', 'change');
      await screen.shows('The number of the answer to change:');
      screen.type('2');
      await screen.shows('age (optional): old');
      screen.retype('36');
      expect(await screen.answer('These answers go to', '[send / change / decline / cancel]', 'send')).toContain(
        '1. name: Ada\n   2. age: 36',
      );
      await screen.shows('form: {"action":"accept","content":{"name":"Ada","age":36,"plan":"paid"}}');
      for (const word of ['decline', 'cancel']) {
        screen.type('call asker__form');
        await screen.answer('asks you for information', '[answer / decline / cancel]', word);
        await screen.shows(`form: {"action":"${word}"`);
      }
    },
  );

  proves('M-ELI-036, L-ELICITATION-062').it('makes no address in a form clickable', async () => {
    const screen = await startAsker();
    screen.type('call asker__form');
    await screen.answer('is about to run the tool', CALL, 'once');
    const shown = await screen.answer('asks you for information', '[answer / decline / cancel]', 'cancel');
    expect(shown).toContain('Your address, see https://other.example \\u{1b}]8;;https://evil.example\\u{7}click here');
    expect(screen.raw).not.toContain('\u001B]8;');
  });

  proves(
    'M-ELI-009, M-ELI-033, M-ELI-034, M-ELI-035, L-ELICITATION-030, L-ELICITATION-060, L-ELICITATION-061, M-ELI-032, L-ELICITATION-058, L-ELICITATION-059',
  ).it(
    'shows the whole address of a page, its host and its dangers, and opens it in the browser of the user after consent alone',
    async () => {
      let requests = 0;
      const site = createServer((_, response) => {
        requests += 1;
        response.end();
      }).listen(0, '127.0.0.1');
      await vi.waitFor(() => expect(site.listening).toBe(true));
      const { port } = site.address() as AddressInfo;
      const screen = await startAsker(asker('--revisions', '2025-11-25'));
      const address = `https://xn--pple-43d.example/pay?${'q'.repeat(300)}=1`;
      screen.type(`call asker__page {"url": "${address}"}`);
      await screen.answer('is about to run the tool', CALL, 'session');
      const asked = await screen.answer('asks you to open a page', URL_QUESTION, 'decline');
      expect(asked).toContain('The server "asker" asks you to open a page');
      expect(asked).toContain('\n   Host:    xn--pple-43d.example\n');
      expect(asked).toContain(`\n   Address: ${address}\n`);
      expect(asked).toMatch(/Warning: .*punycode/);
      await screen.shows('page: decline');
      expect(await visited()).toBe('');
      screen.type(`call asker__page {"url": "http://127.0.0.1:${port}/pay"}`);
      expect(await screen.answer('asks you to open a page', URL_QUESTION, 'accept')).toMatch(
        /Warning: the page is on this machine/,
      );
      await screen.shows('Opened in your browser');
      await vi.waitFor(async () => expect(await visited()).toBe(`http://127.0.0.1:${port}/pay\n`));
      screen.type('call asker__finish');
      await screen.answer('is about to run the tool', CALL, 'once');
      await screen.shows('page: paid');
      // The browser was given the address; the program itself never asked for it.
      expect(requests).toBe(0);
      site.close();
    },
  );

  proves('M-ELI-016, L-ELICITATION-040').it(
    'lets a person open a pending page again, and retry or cancel its call',
    async () => {
      const screen = await startAsker(asker('--revisions', '2025-11-25'));
      screen.type('call asker__page {"url": "https://pay.example/1"}');
      await screen.answer('is about to run the tool', CALL, 'session');
      await screen.answer('asks you to open a page', URL_QUESTION, 'accept');
      await screen.shows('-- asker: waits for the page.');
      screen.type('pages');
      await screen.shows('1. asker: https://pay.example/1');
      screen.type('open 1');
      await screen.shows('Opened in your browser');
      await vi.waitFor(async () => expect(await visited()).toBe('https://pay.example/1\n'.repeat(2)));
      screen.type('cancel 1');
      await screen.shows('-- asker: the page is over.');
      // A server that never says that the page is finished: the user does.
      screen.type('call asker__linked');
      await screen.answer('is about to run the tool', CALL, 'session');
      await screen.answer('asks you to open a page', URL_QUESTION, 'accept');
      await screen.shows('-- asker: waits for the page.');
      screen.type('call asker__link');
      await screen.answer('is about to run the tool', CALL, 'once');
      await screen.shows(/> done\n/);
      screen.type('retry 1');
      await screen.shows(/> linked\n/);
    },
  );

  proves(
    'L-SAMPLING-009, L-SAMPLING-010, L-SAMPLING-011, L-SAMPLING-012, L-SECURITY-010, M-SAMP-005, L-SAMPLING-014, L-SAMPLING-037',
  ).it(
    'shows a request for words of the model, and the words before the server gets them; both can be edited and denied',
    async () => {
      const screen = await startAsker();
      screen.type('call asker__sample');
      await screen.answer('is about to run the tool', CALL, 'session');
      const asked = await screen.answer('asks for words of your model', '[allow / edit / deny]', 'edit');
      expect(asked).toContain('The server "asker" asks for words of your model');
      expect(asked).toContain('user: Write a poem');
      expect(asked).toContain('Instructions: Be brief.');
      await screen.shows('user: Write a poem');
      screen.retype('Write nothing');
      await screen.shows('Instructions: Be brief.');
      screen.type('');
      const answered = await screen.answer('is about to get these words', '[allow / edit / deny]', 'edit');
      expect(answered).toContain('The server "asker" is about to get these words of your model');
      expect(answered).toContain('I was told: {"type":"text","text":"Write nothing"}');
      await screen.shows('Words for the server: I was told');
      screen.retype('no poem');
      await screen.shows('sampled: no poem');
      screen.type('call asker__sample');
      await screen.answer('asks for words of your model', '[allow / edit / deny]', 'deny');
      await screen.shows('User rejected sampling request');
      screen.type('call asker__sample');
      await screen.answer('asks for words of your model', '[allow / edit / deny]', 'allow');
      await screen.answer('is about to get these words', '[allow / edit / deny]', 'deny');
      await screen.shows('User rejected sampling request');
    },
  );

  proves('L-ROOTS-013').it('gives a server the folders that the user chose, and none without consent', async () => {
    const roots = [join(folder, 'one'), join(folder, 'two')];
    await Promise.all(roots.map((root) => mkdir(root)));
    const screen = await startAsker({ ...asker(), roots });
    screen.type('call asker__folders');
    await screen.answer('is about to run the tool', CALL, 'session');
    const asked = await screen.answer('asks which folders', '[allow / some / deny]', 'some');
    expect(asked).toContain('The server "asker" asks which folders it may know');
    expect(asked).toContain(pathToFileURL(join(folder, 'two')).href);
    await screen.shows('Which of them, from 1 to 2:');
    screen.type('2');
    expect(await screen.shows(/folders: file.*\n/)).toContain(`folders: ${pathToFileURL(join(folder, 'two')).href}\n`);
    // The answer holds until the user wants to be asked again.
    screen.type('call asker__folders');
    expect(await screen.shows(/folders: .*\n/)).not.toContain('asks which folders');
    screen.type('roots asker');
    screen.type('call asker__folders');
    await screen.answer('asks which folders', '[allow / some / deny]', 'deny');
    await screen.shows('folders: none');
  });

  it('logs in when the user agrees, in the browser of the user, and again when asked to', async () => {
    const site = await serve((name, password) => (password === 'secret' ? { sub: name } : undefined), 0);
    const screen = await startWith({ notes: { url: site.url } });
    try {
      await screen.answer('is not trusted yet', '[trust / refuse]', 'trust');
      await screen.answer('The server "notes" is about to be started', '[allow / deny]', 'allow');
      const asked = await screen.answer('The server "notes" asks you to log in', '[allow / deny]', 'deny');
      expect(asked).toContain(`Host:    ${new URL(site.url).host}`);
      await screen.shows('-- notes needs a login');
      expect(await visited()).toBe('');
      screen.type('login notes');
      await screen.answer('The server "notes" asks you to log in', '[allow / deny]', 'allow');
      await screen.shows('Opened in your browser');
      await vi.waitFor(async () => expect(await visited()).toContain(new URL(site.url).origin));
    } finally {
      screen.end();
      await screen.exited;
      await site.close();
    }
  });
});
