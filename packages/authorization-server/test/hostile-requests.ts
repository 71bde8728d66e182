/** Requests that strangers may send to an authorization server, and the calm that is expected of it. */
import { expect } from 'vitest';
import { CALLBACK } from './login-kit.ts';

export const MARKUP = '"><script>alert(1)</script><img src=x onerror=y>';
/** Values as they stand in a form or a query, percent-encoded. */
export const HOSTILE: readonly string[] = [
  '',
  encodeURIComponent(MARKUP),
  '%00',
  'a%00b',
  '%ff%fe',
  '%ed%a0%80',
  '%',
  '%0d%0aSet-Cookie:%20x=1',
  encodeURIComponent('🦊\u202e\u2028'),
  '__proto__',
  'constructor',
  'toString',
  '-1',
  'NaN',
  '1e999',
  'x'.repeat(5000),
  'https%3A%2F%2F',
  'https%3A%2F%2Fx%3A99999%2Fy',
  encodeURIComponent('{"toString":1}'),
  'e30.bnVsbA.x',
  'e30.e30.e30',
];
export const LONG = 'x'.repeat(70_000);

export type Fields = Record<string, string>;
export const encode = (fields: Fields): string =>
  Object.entries(fields)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');

/** One field after the other left out, given twice, as a list or an object, and with each hostile value. */
export function variants(fields: Fields): string[] {
  return Object.keys(fields).flatMap((name) => {
    const { [name]: _own, ...others } = fields;
    const rest = encode(others);
    return [
      rest,
      ...HOSTILE.map((value) => `${rest}&${name}=${value}`),
      `${encode(fields)}&${name}=second`,
      `${rest}&${name}[]=a&${name}[]=b`,
      `${rest}&${name}[a][b]=c`,
      `${rest}&${name}[toString]=c&${name}[valueOf]=d`,
      `${rest}&${name}[__proto__][x]=c`,
    ];
  });
}

export const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

interface Seen {
  readonly status: number;
  readonly text: string;
}

export async function send(url: string, init: RequestInit): Promise<Seen> {
  const response = await fetch(url, { ...init, redirect: 'manual' });
  const location = response.headers.get('location');
  if (location !== null) expect(location.startsWith(CALLBACK) || location.startsWith('http://127.0.0.1')).toBe(true);
  expect(response.headers.get('set-cookie') ?? '').not.toContain('x=1');
  return { status: response.status, text: await response.text() };
}

export function expectCalm({ status, text }: Seen, what: string): void {
  expect(status, `${what}: ${text}`).toBeLessThan(500);
  expect(text, what).not.toContain('<script');
  expect(text, what).not.toContain('<img');
}
