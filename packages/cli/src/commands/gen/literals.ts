const MAX_COMMENT = 2000;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
/** Characters that are not seen, or that change how others are shown. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Variation_Selector}]/gu;

/** A text as a literal of TypeScript. */
export function textLiteral(text: string): string {
  return JSON.stringify(text).replaceAll(UNSEEN, escaped);
}

/** The name of a member: as it is where it is an identifier, otherwise as a literal. */
export function memberName(name: string): string {
  return IDENTIFIER.test(name) ? name : textLiteral(name);
}

/** The texts that a URI template stands for: each expression may be any text. */
export function templateLiteral(template: string): string {
  const parts = template.split(/\{[^{}]*\}/);
  if (parts.length === 1) return textLiteral(template);
  const fixed = parts.map((part) =>
    part.replaceAll(/[\\`]|\$(?=\{)/g, (sign) => `\\${sign}`).replaceAll(UNSEEN, escaped),
  );
  return `\`${fixed.join('${string}')}\``;
}

/** Letters and digits of a text as a name that begins with a capital: `get-sum` → `GetSum`. Empty where there are none. */
export function identifierOf(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const name = words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join('');
  return /^\d/.test(name) ? `N${name}`.slice(0, 64) : name.slice(0, 64);
}

/** A comment with its line end, or nothing. No text of a server can end it. */
export function commentText(text: string | undefined, indent: string): string {
  if (text === undefined || text.trim() === '') return '';
  const cut = text.length > MAX_COMMENT ? `${text.slice(0, MAX_COMMENT)} …` : text;
  const lines = cut
    .replaceAll('*/', '*\\/')
    .split(/\r?\n/)
    .map((line) => line.replaceAll(UNSEEN, escaped).trimEnd());
  const [only = ''] = lines;
  if (lines.length === 1) return `${indent}/** ${only.trim()} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

function escaped(unseen: string): string {
  return [...Array(unseen.length).keys()]
    .map((at) => `\\u${unseen.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');
}
