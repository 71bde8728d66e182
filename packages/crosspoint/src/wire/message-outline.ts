/** The facts about a JSON-RPC message that can be read from its two ends. */
export interface MessageOutline {
  readonly id: string | number | undefined;
  readonly isResponse: boolean;
}

interface Findings {
  id: string | number | undefined;
  isResponse: boolean | undefined;
}

/** A string, a mark, or a number or word that the text does not end in. */
const TOKEN = /\s*("(?:[^"\\]|\\[^])*"|[{}[\],:]|[^\s"{}[\],:]+(?=[\s\]},]))/gy;

/** The last member of an object without its closing brace, where its value is a string, a number or a word. */
const LAST_MEMBER = /(?:^|[,{])\s*("(?:[^"\\]|\\[^])*")\s*:\s*("(?:[^"\\]|\\[^])*"|[\w.+-]+)\s*$/;

/**
 * Looks for the members of the outermost object in the head (forwards, over nested values) and in the tail (backwards, over plain
 * values). Nested members are never taken for the message's own: an `id` inside a result is data.
 */
export function outlineOf(head: string, tail: string): MessageOutline {
  const found: Findings = { id: undefined, isResponse: undefined };
  scanHead(head, found);
  if (found.id === undefined || found.isResponse === undefined) scanTail(tail, found);
  return { id: found.id, isResponse: found.isResponse ?? false };
}

function scanHead(text: string, found: Findings): void {
  let depth = 0;
  let key = '';
  let isValue = false;
  for (const [, token = ''] of text.matchAll(TOKEN)) {
    if (depth === 0 && token !== '{') return;
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (depth > 1) continue;
    else if (token === ':') note(key, '', found);
    else if (isValue) note(key, token, found);
    else key = token;
    if (depth === 1) isValue = token === ':' || (isValue && token !== ',');
  }
}

function scanTail(text: string, found: Findings): void {
  let rest = text.replace(/\}\s*$/, '');
  if (rest === text) return;
  for (;;) {
    const member = LAST_MEMBER.exec(rest);
    if (member === null) return;
    const [, key = '', value = ''] = member;
    note(key, value, found);
    rest = rest.slice(0, member.index);
  }
}

/** Takes in a member, or its key while the value is not known. */
function note(key: string, value: string, found: Findings): void {
  const name = parsed(key);
  if (name === 'result' || name === 'error') found.isResponse ??= true;
  if (name === 'method') found.isResponse ??= false;
  const id = name === 'id' ? parsed(value) : undefined;
  if (typeof id === 'string' || Number.isInteger(id)) found.id ??= id as string | number;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
