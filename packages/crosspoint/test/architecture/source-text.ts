/** Reads source text as far as the architecture checks need it: comments, strings and imports, without a compiler. */

export interface SourceText {
  /** Comments replaced by spaces; strings and line numbers kept. */
  readonly code: string;
  /** Comments and the insides of strings, templates and regular expressions replaced by spaces. */
  readonly bare: string;
}

export interface Import {
  readonly specifier: string;
  /** Erased by the compiler. `import { type A }` is not: it stays as an import for effect. */
  readonly typeOnly: boolean;
}

const blank = (text: string): string => text.replaceAll(/[^\n]/g, ' ');
/** A slash after one of these begins a regular expression; after anything else it divides. */
const BEFORE_REGEXP =
  /(?:^|[(,=:[!&|?{};+\-*%~^<>]|\b(?:return|typeof|case|in|of|delete|void|throw|new|await|yield))\s*$/;
const LINE_COMMENT = /\/\/[^\n]*/y;
const BLOCK_COMMENT = /\/\*[\s\S]*?\*\//y;
const STRING = /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y;
const REGEXP = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const TEMPLATE_PART = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y;

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

export function readSource(text: string): SourceText {
  let code = '';
  let bare = '';
  /** Depth of braces at which each open template goes on. */
  const templates: number[] = [];
  let depth = 0;
  let at = 0;
  const take = (piece: string, inCode: string, inBare: string): void => {
    code += inCode;
    bare += inBare;
    at += piece.length;
  };
  const template = (opening: string): void => {
    const part = matchAt(TEMPLATE_PART, text, at + opening.length) ?? '';
    const closing = text[at + opening.length + part.length] === '`' ? '`' : '${';
    take(opening + part + closing, opening + part + closing, opening + blank(part) + closing);
    if (closing === '${') {
      templates.push(depth);
      depth += 1;
    }
  };
  while (at < text.length) {
    const char = text.charAt(at);
    const comment = char === '/' ? (matchAt(LINE_COMMENT, text, at) ?? matchAt(BLOCK_COMMENT, text, at)) : undefined;
    const string = char === "'" || char === '"' ? matchAt(STRING, text, at) : undefined;
    const regexp =
      comment === undefined && char === '/' && BEFORE_REGEXP.test(bare.slice(-40))
        ? matchAt(REGEXP, text, at)
        : undefined;
    const literal = string ?? regexp;
    if (comment !== undefined) take(comment, blank(comment), blank(comment));
    else if (literal !== undefined)
      take(literal, literal, `${literal[0]}${blank(literal.slice(1, -1))}${literal.at(-1)}`);
    else if (char === '`') template('`');
    else if (char === '}' && templates.at(-1) === depth - 1) {
      templates.pop();
      depth -= 1;
      template('}');
    } else {
      if (char === '{') depth += 1;
      if (char === '}') depth -= 1;
      take(char, char, char);
    }
  }
  return { code, bare };
}

const STATEMENT = /\b(import|export)\b(\s+type\b(?!\s*(?:,|from\b)))?((?:\s*[\w$*{},\s]+?)\bfrom\s*)(['"])/g;
const FOR_EFFECT = /\bimport\s*(['"])/g;
const DYNAMIC = /\bimport\s*\(\s*(['"])/g;

/** Static imports, exports from elsewhere and `import()` with a literal, types included. */
export function importsOf({ code, bare }: SourceText): Import[] {
  const found: Import[] = [];
  const specifierAt = (start: number): string => code.slice(start, bare.indexOf(bare.charAt(start - 1), start));
  for (const match of bare.matchAll(STATEMENT))
    found.push({ specifier: specifierAt(match.index + match[0].length), typeOnly: match[2] !== undefined });
  for (const pattern of [FOR_EFFECT, DYNAMIC]) {
    for (const match of bare.matchAll(pattern))
      found.push({ specifier: specifierAt(match.index + match[0].length), typeOnly: false });
  }
  return found;
}
