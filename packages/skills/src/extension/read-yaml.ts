import { isMap, isScalar, parseDocument, visit, type Document, type Node, type YAMLMap } from 'yaml';

const MAX_DEPTH = 32;
const TOO_DEEP = 'it is nested too deeply';
// Duplicate keys are found here in linear time: the parser would compare each key with all before it.
const LIMITS = { schema: 'core', prettyErrors: false, logLevel: 'error', uniqueKeys: false } as const;

/**
 * Parses YAML as a JSON value. Anchors, aliases, tags, keys that are not strings and numbers that JSON lacks are refused: front matter does not need
 * them, and client and server compare what each has read, so the text must have one meaning. Throws with the line number.
 */
export function readYaml(text: string): unknown {
  const document = parseDocument(text, LIMITS);
  const fault = document.errors[0] ?? faultIn(document);
  if (fault === undefined) return document.toJS();
  const line = text.slice(0, fault.pos[0]).split('\n').length;
  throw new Error(`Line ${line}: ${fault.code === 'RESOURCE_EXHAUSTION' ? TOO_DEEP : fault.message}.`);
}

interface Fault {
  readonly code?: string;
  readonly message: string;
  readonly pos: readonly [number, ...unknown[]];
}

function faultIn(document: Document.Parsed): Fault | undefined {
  let found: Fault | undefined;
  const refuse = (message: string, node?: Node | null): symbol => {
    found = { message, pos: [node?.range?.[0] ?? 0] };
    return visit.BREAK;
  };
  visit(document, {
    Alias: (_, node) => refuse('aliases are not read', node),
    Node: (key, node, path) => {
      if (path.length > 2 * MAX_DEPTH) return refuse(TOO_DEEP, node);
      if (node.anchor !== undefined) return refuse('anchors are not read', node);
      if (node.tag !== undefined) return refuse('tags are not read', node);
      if (key === 'key' && !(isScalar(node) && typeof node.value === 'string'))
        return refuse('a key is not a text', node);
      const twice = isMap(node) ? repeatedKey(node) : undefined;
      if (twice !== undefined) return refuse('a key stands twice in the same map', twice);
      const isNumber = isScalar(node) && typeof node.value === 'number';
      return isNumber && !Number.isFinite(node.value) ? refuse('this is no number of JSON', node) : undefined;
    },
  });
  return found;
}

function repeatedKey({ items }: YAMLMap): Node | undefined {
  const names = new Set<unknown>();
  for (const { key } of items) {
    if (!isScalar(key)) continue;
    if (names.has(key.value)) return key;
    names.add(key.value);
  }
  return undefined;
}
