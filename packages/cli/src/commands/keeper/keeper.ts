import { defineCommand, type Command } from '../../grammar/command.ts';
import { Keeper } from '../../keeper/keeper.ts';
import { KeptRecords } from '../../keeper/records.ts';
import { openLocally } from '../../server/open-locally.ts';

const IDLE_SECONDS = 15 * 60;

/** The process that holds a kept connection. It is started by `connect`, and gets everything else over its socket. */
export const keeper: Command = defineCommand({
  path: ['keeper'],
  says: 'Hold a connection for other commands.',
  isHidden: true,
  arguments: [{ name: 'name', says: 'the name of the connection' }],
  options: {
    idle: { type: 'number', value: 'SECONDS', least: 1, most: 86_400, says: 'end after this time without a command' },
  },
  examples: [{ line: 'crosspoint keeper files', says: 'Started by crosspoint connect.' }],
  async run({ words: [name = ''], options }, { io, home, signal }) {
    const records = new KeptRecords(home.keptFolder);
    await records.prepare();
    const running = new Keeper({
      name,
      folder: home.keptFolder,
      records,
      idleMs: (options.idle ?? IDLE_SECONDS) * 1000,
      open: ({ target, reaching }, { signal: opening, onevent }) =>
        openLocally(
          target,
          reaching,
          { home, cwd: io.cwd, env: io.env, note: (text) => onevent({ type: 'note', text }) },
          { signal: opening, onevent, name, withTimeline: true },
        ),
    });
    signal.addEventListener('abort', () => running.stop(), { once: true });
    await running.run((record) => process.send?.(record));
  },
});
