import { maxPatternLength } from '../pattern/compile-pattern.ts';
import { parsePattern } from '../pattern/parse-pattern.ts';
import { isDate, isDateTime, isDuration, isTime } from './time-formats.ts';

/** Expressions by format. Each is anchored and can match a text in one way only, so its time is linear in the text. */
const expressions: Readonly<Record<string, RegExp>> = {
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  'relative-json-pointer': /^(?:0|[1-9][0-9]*)(?:#|(?:\/(?:[^~/]|~[01])*)*)$/,
  'json-pointer': /^(?:\/(?:[^~/]|~[01])*)*$/,
};

const uriText = /^(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$/;
const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:/;

const checks: Readonly<Record<string, (text: string) => boolean>> = {
  'date-time': isDateTime,
  date: isDate,
  time: isTime,
  duration: isDuration,
  email: isEmail,
  hostname: isHostname,
  ipv4: isIpv4,
  ipv6: isIpv6,
  uri: (text) => scheme.test(text) && isUriReference(text),
  'uri-reference': isUriReference,
  regex: isPattern,
};

/** Whether the text has the format. Unknown formats are annotations, so every text has them. */
export function isFormat(format: string, text: string): boolean {
  if (Object.hasOwn(checks, format)) return checks[format]?.(text) ?? true;
  if (Object.hasOwn(expressions, format)) return expressions[format]?.test(text) ?? true;
  return true;
}

function isPattern(text: string): boolean {
  if (text.length > maxPatternLength) return false;
  try {
    parsePattern(text);
    return true;
  } catch {
    return false;
  }
}

function isUriReference(text: string): boolean {
  if (!uriText.test(text) || text.indexOf('#') !== text.lastIndexOf('#')) return false;
  const authority = /^(?:[A-Za-z][A-Za-z0-9+.-]*:)?\/\/([^/?#]*)/.exec(text)?.[1];
  const [path = ''] = text.split(/[?#]/, 1);
  if (authority === undefined) return !/[[\]]/.test(path);
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  if (host.startsWith('[')) return /^\[[0-9A-Fa-f:.v]+\](?::[0-9]*)?$/.test(host);
  return !/[[\]]/.test(authority) && /^[^:]*(?::[0-9]*)?$/.test(host);
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, at);
  const domain = text.slice(at + 1);
  if (at < 1 || local.length > 64) return false;
  if (domain.startsWith('[') && domain.endsWith(']')) return isMailAddressLiteral(domain.slice(1, -1));
  if (!isHostname(domain)) return false;
  if (/^"(?:[^"\\]|\\.)*"$/.test(local)) return true;
  return local.split('.').every((part) => /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+$/.test(part));
}

function isMailAddressLiteral(literal: string): boolean {
  return literal.startsWith('IPv6:') ? isIpv6(literal.slice(5)) : isIpv4(literal);
}

function isIpv4(text: string): boolean {
  const parts = text.split('.', 5);
  return parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

function isIpv6(text: string): boolean {
  // Addresses of hosts are written by the same rules, once zones and other characters are refused.
  return /^[0-9a-f:.]{2,45}$/i.test(text) && URL.canParse(`http://[${text}]`);
}

function isHostname(text: string): boolean {
  if (text.length === 0 || text.length > 253) return false;
  return text
    .split('.')
    .every((label) => label.length <= 63 && /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/.test(label));
}
