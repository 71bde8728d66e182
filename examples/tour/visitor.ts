import { Client } from 'crosspoint/client';

/** A client that speaks one revision, and whose user answers every question with a name. */
export function createVisitor(revision: string): Client {
  const client = new Client(
    { name: 'crosspoint-tour', version: '1.0.0' },
    { revisions: [revision], capabilities: { elicitation: {} } },
  );
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } }));
  return client;
}

/** One line about the negotiated connection. */
export function headline(client: Client, startedAt: number): string {
  return `\n${client.getNegotiatedProtocolVersion() ?? '?'}  (${client.family ?? '?'} family, connected in ${Math.round(performance.now() - startedAt)} ms)`;
}
