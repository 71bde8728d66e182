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
    // Listed for everyone; a client whose token lacks the scope is told to ask its user for it.
    { description: 'Adds a note', inputSchema: { note: z.string() }, scopes: ['notes:write'] },
    async ({ note }, ctx) => {
      notes.set(ownerOf(ctx), [...(notes.get(ownerOf(ctx)) ?? []), note]);
      return text('Added.');
    },
  );
  return server;
}

/** Who is calling, as the token says; what a client says of its user does not count. */
function ownerOf({ authInfo }: ServerContext): string {
  return String(authInfo?.extra?.['sub']);
}
