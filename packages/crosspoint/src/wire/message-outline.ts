/** The facts about a JSON-RPC message that can be read from its two ends. */
export interface MessageOutline {
  readonly id: string | number | undefined;
  readonly isResponse: boolean;
}

interface Findings {
  id: string | number | undefined;
  isResponse: boolean | undefined;
}

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
  let at = skipSpace(text, 0);
  if (text[at] !== '{') return;
  do {
    const key = skipSpace(text, at + 1);
    const keyEnd = text[key] === '"' ? endOfString(text, key) : -1;
    if (keyEnd === -1) return;
    at = skipSpace(text, keyEnd);
    if (text[at] !== ':') return;
    const value = skipSpace(text, at + 1);
    noteKey(text.slice(key, keyEnd), found);
    const valueEnd = endOfValue(text, value);
    if (valueEnd === -1) return;
    noteId(text.slice(key, keyEnd), text.slice(value, valueEnd), found);
    at = skipSpace(text, valueEnd);
  } while (text[at] === ',');
}

function scanTail(text: string, found: Findings): void {
  let at = skipSpaceBack(text, text.length - 1);
  if (text[at] !== '}') return;
  do {
    const valueEnd = skipSpaceBack(text, at - 1);
    const value = startOfScalar(text, valueEnd);
    if (value === -1) return;
    at = skipSpaceBack(text, value - 1);
    if (text[at] !== ':') return;
    const keyEnd = skipSpaceBack(text, at - 1);
    const key = text[keyEnd] === '"' ? startOfString(text, keyEnd) : -1;
    if (key === -1) return;
    noteKey(text.slice(key, keyEnd + 1), found);
    noteId(text.slice(key, keyEnd + 1), text.slice(value, valueEnd + 1), found);
    at = skipSpaceBack(text, key - 1);
  } while (text[at] === ',');
}

function noteKey(key: string, found: Findings): void {
  const name = parsed(key);
  if (name === 'result' || name === 'error') found.isResponse ??= true;
  if (name === 'method') found.isResponse ??= false;
}

function noteId(key: string, value: string, found: Findings): void {
  if (found.id !== undefined || parsed(key) !== 'id') return;
  const id = parsed(value);
  if (typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id))) found.id = id;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function isSpace(char: string | undefined): boolean {
  return char === ' ' || char === '\t' || char === '\r' || char === '\n';
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text[at])) at++;
  return at;
}

function skipSpaceBack(text: string, from: number): number {
  let at = from;
  while (isSpace(text[at])) at--;
  return at;
}

/** The position after the closing quote, or -1 when the text ends before it. */
function endOfString(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
  return -1;
}

/** The position of the opening quote, or -1. A quote is escaped when an odd number of backslashes stands before it. */
function startOfString(text: string, close: number): number {
  for (let at = close - 1; at >= 0; at--) {
    if (text[at] !== '"') continue;
    let slashes = at;
    while (text[slashes - 1] === '\\') slashes--;
    if ((at - slashes) % 2 === 0) return at;
    at = slashes;
  }
  return -1;
}

/** The position after a value, or -1 when the text may end inside it. */
function endOfValue(text: string, start: number): number {
  if (text[start] === '"') return endOfString(text, start);
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (char === '"') {
      const end = endOfString(text, at);
      if (end === -1) return -1;
      at = end - 1;
    } else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') {
      if (depth === 0) return at;
      if (--depth === 0) return at + 1;
    } else if (depth === 0 && (char === ',' || isSpace(char))) return at;
  }
  return -1;
}

/** The first position of the string, number or word that ends at `end`, or -1 when something else ends there. */
function startOfScalar(text: string, end: number): number {
  if (text[end] === '"') return startOfString(text, end);
  let at = end;
  while (at >= 0 && isScalarChar(text.charCodeAt(at))) at--;
  return at === end || at < 0 ? -1 : at + 1;
}

function isScalarChar(code: number): boolean {
  const isDigit = code >= 0x30 && code <= 0x39;
  const isLetter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
  return isDigit || isLetter || code === 0x2b || code === 0x2d || code === 0x2e;
}
