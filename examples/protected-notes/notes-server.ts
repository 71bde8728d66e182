import { McpServer, text, type ServerContext } from 'crosspoint/server';
import * as z from 'zod';

/** Notes, each of which belongs to the user whose token made it. */
export function createNotesServer(): McpServer {
  const notes = new Map<string, string[]>();
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  server.registerTool('list_notes', { description: 'Lists your notes' }, async (ctx) =>
    text((notes.get(ownerOf(ctx)) ?? []).join('\n') || 'There are none.'),
  );
  server.registerTool(
    'add_note',
    // Listed for every caller; a client whose token lacks the scope is asked to request it from its user.
    { description: 'Adds a note', inputSchema: { note: z.string() }, scopes: ['notes:write'] },
    async ({ note }, ctx) => {
      notes.set(ownerOf(ctx), [...(notes.get(ownerOf(ctx)) ?? []), note]);
      return text('Added.');
    },
  );
  return server;
}

/** The caller from the verified token; a name that a client claims does not count. */
function ownerOf({ authInfo }: ServerContext): string {
  return String(authInfo?.extra?.['sub']);
}
