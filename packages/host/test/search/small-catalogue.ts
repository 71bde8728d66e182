import { Catalogue } from '../../src/catalogue/catalogue.ts';
import type { Listing } from '../../src/catalogue/listing.ts';

interface Said {
  readonly title?: string;
  readonly description?: string;
  /** Arguments with their descriptions. */
  readonly takes?: Readonly<Record<string, string>>;
}

export type SmallTool = Listing['tools'][number];

export function toolOf(name: string, { takes = {}, ...said }: Said = {}): SmallTool {
  const properties = Object.fromEntries(
    Object.entries(takes).map(([key, description]) => [key, { type: 'string', description }]),
  );
  return { name, ...said, inputSchema: { type: 'object', properties } };
}

export function listingOf(tools: readonly SmallTool[], instructions?: string): Listing {
  return { tools, prompts: [], resources: [], templates: [], ...(instructions !== undefined && { instructions }) };
}

/** Servers as people have them, with names of tools in every style. */
export const SERVERS: Readonly<Record<string, Listing>> = {
  mail: listingOf([
    toolOf('send_message', {
      description: 'Send an e-mail to one or more people.',
      takes: { to: 'Addresses of the recipients', subject: '', body: 'The text of the mail' },
    }),
    toolOf('search_messages', { description: 'Search the mailbox.', takes: { query: 'Words, or the sender' } }),
    toolOf('archive_message', { description: 'Move a message out of the inbox.', takes: { id: '' } }),
    toolOf('add_attachment', { description: 'Attach a file to a draft.', takes: { draft: '', path: '' } }),
  ]),
  calendar: listingOf([
    toolOf('createEvent', { title: 'New event', description: 'Put an appointment into the calendar.' }),
    toolOf('listEvents', { description: 'Appointments between two days.', takes: { from: '', until: '' } }),
    toolOf('findFreeSlots', { description: 'Find time when everybody invited is free for a meeting.' }),
  ]),
  files: listingOf([
    toolOf('read-file', { description: 'Contents of a file.', takes: { path: 'Where it is' } }),
    toolOf('write-file', { description: 'Write text into a file.', takes: { path: '', text: '' } }),
    toolOf('move-file', { description: 'Rename a file or put it into another directory.' }),
    toolOf('delete-file', { description: 'Delete a file for good.' }),
    toolOf('make-directory', { description: 'Create a directory.' }),
  ]),
  tickets: listingOf(
    [
      toolOf('create', {
        description: 'Report a bug or a wish.',
        takes: { title: '', severity: 'low, high or blocker' },
      }),
      toolOf('close', { description: 'Say that a ticket is done.', takes: { id: '', reason: '' } }),
      toolOf('assign', {
        description: 'Give a ticket to a person.',
        takes: { id: '', assignee: 'Login of the person' },
      }),
    ],
    'The issue tracker of the team, with everything about bugs and releases.',
  ),
  weather: listingOf([
    toolOf('forecast', { description: 'The weather of the next days in a city.', takes: { city: '' } }),
    toolOf('HTTPStatusOfService', { description: 'Whether the service works.' }),
  ]),
  music: listingOf([
    toolOf('play_song', { description: 'Play a song by title or artist.' }),
    toolOf('set_volume', { description: 'Louder or quieter.', takes: { percent: 'Between 0 and 100' } }),
  ]),
  天気: listingOf([
    toolOf('tenki', { description: '明日の天気予報を調べます。' }),
    toolOf('jikan', { description: '今の時間' }),
  ]),
};

export function smallCatalogue(): Catalogue {
  const catalogue = new Catalogue();
  for (const [server, listing] of Object.entries(SERVERS)) catalogue.set(server, listing);
  return catalogue;
}
