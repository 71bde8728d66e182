import { mapReferences, shownSource } from './interpolation/template.ts';
import type { ReachText } from './texts.ts';

/** Stands for a value that people are not shown. */
export const HIDDEN = '‹hidden›';

const SECRET_NAME =
  /token|secret|passw|passphrase|credential|authorization|(?:api|access|private|signing|encryption)[-_]?key|connection[-_]?string|database[-_]?url|(?:^|[-_])(?:key|auth|pat|pwd|pass|dsn|cookie|session|bearer|jwt)(?:$|[-_])/i;
const TOKEN =
  /\b(?:sk-|sk_|rk_|ghp_|gho_|ghs_|ghu_|github_pat_|glpat-|xox[abprs]-|AKIA|ASIA|AIza|ya29\.|npm_|hf_|eyJ)[\w.-]{10,}/g;
const HARMLESS_HEADERS = /^(?:accept|accept-language|content-type|user-agent|origin|mcp-protocol-version)$/i;
const FLAG_WITH_VALUE = /^(--?[\w.-]+)=([\s\S]+)$/;
const FLAG = /^--?[\w.-]+$/;
/** Characters of tokens. Words with spaces or paths are always shown, so that no command can hide behind the name of a flag. */
const TOKEN_LIKE = /^[\w.=+~-]{8,}$/;
const USER_INFO = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#@]+)@/i;
const QUERY_VALUE = /([?&])([^=&#?]+)=([^&#?]+)/g;

/** Whether a variable, header or option of this name usually holds a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** A text in its place, and the argument before it. */
export interface PlacedText extends ReachText {
  readonly previous?: string;
}

/** Whether the whole text at a place is a secret when it was written down as it is. */
export function isSecretPlace({ path, text, previous }: PlacedText): boolean {
  const [first, name = ''] = path;
  if (first === 'headers') return !HARMLESS_HEADERS.test(String(name));
  if (first === 'env') return isSecretName(String(name));
  if (first === 'oauth') return name === 'clientSecret';
  return (
    first === 'args' && previous !== undefined && FLAG.test(previous) && isSecretName(previous) && TOKEN_LIKE.test(text)
  );
}

const QUERY_NAME = /[?&]([^=&#?]+)=$/;
const PASSWORD = /^[a-z][a-z0-9+.-]*:\/\/[^/?#@]*:$/i;

/** Whether a value that stands behind `before` in a text is a secret by its place: of a header, a variable, an option or a parameter. */
export function isSecretAfter(before: string, placed: PlacedText): boolean {
  const { path, previous } = placed;
  if (path[0] === 'args' && previous !== undefined && FLAG.test(previous) && isSecretName(previous)) return true;
  if (path[0] === 'args' && /^--?[\w.-]+=$/.test(before) && isSecretName(before)) return true;
  if (path[0] === 'headers' || path[0] === 'env' || path[0] === 'oauth') return isSecretPlace(placed);
  return PASSWORD.test(before) || isSecretName(QUERY_NAME.exec(before.slice(-200))?.[1] ?? '');
}

/** A text as people may see it: values that are secrets by their place or their look are hidden. References stay. */
export function hideSecrets(placed: PlacedText): string {
  const { path, text } = placed;
  if (text.includes('${')) {
    const isSecret = isSecretPlace(placed);
    const shown = mapReferences(text, (source) => (isSecret || isSecretName(source) ? shownSource(source) : source));
    return path[0] === 'url' ? hideInUrl(shown) : hideTokens(shown);
  }
  if (isSecretPlace(placed)) return text === '' ? text : HIDDEN;
  if (path[0] === 'args') return hideTokens(hideInFlag(text));
  return hideInUrl(text);
}

/** The secrets that are written into a text as they are, for those who redact logs. */
export function literalSecrets(placed: PlacedText): string[] {
  const { path, text } = placed;
  if (text === '') return [];
  if (text.includes('${')) return [...mapReferences(text, () => ' ').matchAll(TOKEN)].map(([token]) => token);
  if (isSecretPlace(placed)) return path[0] === 'headers' ? [text, ...text.split(' ').slice(1)] : [text];
  const found = [...text.matchAll(TOKEN)].map(([token]) => token);
  const [, flag = '', value = ''] = FLAG_WITH_VALUE.exec(text) ?? [];
  if (path[0] === 'args' && isSecretName(flag) && TOKEN_LIKE.test(value)) found.push(value);
  const [, , user = ''] = USER_INFO.exec(text) ?? [];
  if (user !== '') found.push(...user.split(':').slice(-1));
  for (const [, , name = '', given = ''] of text.matchAll(QUERY_VALUE)) if (isSecretName(name)) found.push(given);
  return found;
}

function hideTokens(text: string): string {
  return text.replace(TOKEN, HIDDEN);
}

function hideInFlag(text: string): string {
  const [, flag = '', value = ''] = FLAG_WITH_VALUE.exec(text) ?? [];
  if (flag !== '' && isSecretName(flag) && TOKEN_LIKE.test(value)) return `${flag}=${HIDDEN}`;
  return hideInUrl(text);
}

function hideInUrl(text: string): string {
  const plain = text
    .replace(USER_INFO, (all, scheme: string, user: string) => (user.includes('${') ? all : `${scheme}${HIDDEN}@`))
    .replace(QUERY_VALUE, (all, mark: string, name: string, value: string) =>
      isSecretName(name) && !value.startsWith('${') ? `${mark}${name}=${HIDDEN}` : all,
    );
  return hideTokens(plain);
}
