/** Reads answers over HTTP: their messages, and the ids that the conversation needs next. */

/** The JSON messages in a body, be it JSON or events. */
export function messagesIn({ headers, body }) {
  const utf8 = Buffer.from(body, 'latin1').toString('utf8');
  if (!(headers['content-type'] ?? '').startsWith('text/event-stream')) return parsed(utf8);
  return utf8.split(/\n\n/).flatMap((event) =>
    parsed(
      event
        .split('\n')
        .filter((line) => line.startsWith('data: '))
        .map((line) => line.slice(6))
        .join('\n'),
    ),
  );
}

function parsed(text) {
  try {
    return [JSON.parse(text)].flat();
  } catch {
    return [];
  }
}

/** Stores the values of an answer under the names by which later steps find them. */
export function learn(known, prefix, answer) {
  const note = (name, value) => {
    if (typeof value !== 'string' && typeof value !== 'number') return;
    known[name] = String(value);
    known[`${prefix}.${name}`] = String(value);
  };
  note('session', answer.headers['mcp-session-id']);
  note('event', [...answer.body.matchAll(/^id: (.+)$/gm)].at(-1)?.[1]);
  note('endpoint', /^event: endpoint\ndata: (.+)$/m.exec(answer.body)?.[1]);
  for (const message of messagesIn(answer)) {
    if (message === null || typeof message !== 'object') continue;
    const { result, method, id } = message;
    if (method !== undefined) note('asked', id);
    if (result === null || typeof result !== 'object') continue;
    note('cursor', result.nextCursor);
    note('state', result.requestState);
    note('task', result.task?.taskId ?? result.taskId);
    note('ask', Object.keys(result.inputRequests ?? {})[0]);
  }
}
