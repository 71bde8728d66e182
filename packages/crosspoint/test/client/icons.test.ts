import { describe, expect, test } from 'vitest';
import { fetchIcon } from '../../src/client/index.ts';
import { isSafeIconSource } from '../../src/client/icons/icons.ts';
import { proves } from '../requirements/proves.ts';

/** The start of a PNG of the given size, as much as is looked at. */
function png(width: number, height: number, frames?: number): Uint8Array {
  const bytes = new Uint8Array(80);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0x89504e47);
  view.setUint32(4, 0x0d0a1a0a);
  view.setUint32(8, 13);
  bytes.set(new TextEncoder().encode('IHDR'), 12);
  view.setUint32(16, width);
  view.setUint32(20, height);
  if (frames !== undefined) {
    view.setUint32(33, 8);
    bytes.set(new TextEncoder().encode('acTL'), 37);
    view.setUint32(41, frames);
  }
  return bytes;
}

const gif = Uint8Array.from(atob('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'), (character) =>
  character.charCodeAt(0),
);
const dataUrl = (bytes: Uint8Array, type = 'image/png'): string =>
  `data:${type};base64,${btoa(String.fromCharCode(...bytes))}`;

function serving(...responses: Response[]): {
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  origins: string[];
  requests: [string, RequestInit][];
} {
  const requests: [string, RequestInit][] = [];
  return {
    requests,
    origins: ['https://example.com'],
    fetch: async (url, init) => {
      requests.push([url, init]);
      return responses.shift() ?? new Response(null, { status: 500 });
    },
  };
}

const picture = (bytes: Uint8Array, type = 'image/png'): Response =>
  new Response(bytes as Uint8Array<ArrayBuffer>, { headers: { 'content-type': type } });
const redirect = (location: string): Response => new Response(null, { status: 302, headers: { location } });

proves('M-BASE-040, L-SECURITY-015').test('only https: and data: are icon sources', () => {
  for (const src of ['https://example.com/a.png', 'HTTPS://EXAMPLE.COM/a', 'data:image/png;base64,AAAA'])
    expect(isSafeIconSource(src)).toBe(true);
  for (const src of [
    'http://example.com/a.png',
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    ' javascript:alert(1)',
    'file:///etc/passwd',
    'ftp://x/a',
    'ws://x',
    'wss://x',
    'blob:https://x/1',
    'slack://x',
    '/a.png',
    'a.png',
    '',
    'https://user:pw@example.com/',
  ])
    expect(isSafeIconSource(src), src).toBe(false);
});

describe('fetching', () => {
  test.each(['169.254.169.254', '10.0.0.1', '127.0.0.1', '::1'])(
    'goes to no private place: a name that resolves to %s is refused',
    async (address) => {
      const outbound = { resolve: () => Promise.resolve([address]) };
      const failed = fetchIcon('https://icons.example/a.png', { outbound, origins: 'anywhere' });
      await expect(failed).rejects.toMatchObject({ name: 'TransportError' });
      await expect(failed).rejects.toThrow(address);
      const written = `https://${address.includes(':') ? `[${address}]` : address}/a.png`;
      await expect(fetchIcon(written, { origins: 'anywhere' })).rejects.toThrow('was not loaded');
    },
  );

  proves('M-BASE-042, L-SECURITY-018').test('sends no credentials and no headers', async () => {
    const { fetch, requests } = serving(picture(png(32, 16)));
    expect(await fetchIcon('https://example.com/a.png', { fetch, origins: ['https://example.com'] })).toMatchObject({
      type: 'image/png',
      width: 32,
      height: 16,
    });
    expect(requests).toEqual([
      ['https://example.com/a.png', { credentials: 'omit', redirect: 'manual', referrerPolicy: 'no-referrer' }],
    ]);
  });

  proves('L-SECURITY-019').test(
    'come from the origins that are named and from nowhere else, unless the program says anywhere',
    async () => {
      const { fetch, origins, requests } = serving(picture(png(1, 1)), picture(png(1, 1)));
      for (const options of [{ fetch, origins }, { fetch }])
        await expect(fetchIcon('https://cdn.example/a.png', options)).rejects.toThrow('https://cdn.example');
      expect(requests).toEqual([]);
      await fetchIcon('https://example.com/a.png', { fetch, origins });
      await fetchIcon('https://cdn.example/a.png', { fetch, origins: 'anywhere' });
      expect(requests.length).toBe(2);
    },
  );

  proves('M-BASE-041, L-SECURITY-016').test(
    'redirects that change scheme or origin are refused, others followed a few times',
    async () => {
      for (const location of [
        'http://example.com/b.png',
        'https://evil.example/b.png',
        'https://example.com:8443/b.png',
        'javascript:alert(1)',
        '//evil.example/b.png',
        'data:image/png;base64,AAAA',
      ]) {
        const { fetch, requests } = serving(redirect(location), picture(png(1, 1)));
        await expect(
          fetchIcon('https://example.com/a.png', { fetch, origins: ['https://example.com'] }),
          location,
        ).rejects.toMatchObject({
          code: 'invalid-result',
        });
        expect(requests.length).toBe(1);
      }
      const within = serving(redirect('/b.png'), picture(png(1, 1)));
      await fetchIcon('https://example.com/a.png', within);
      expect(within.requests.map(([url]) => url)).toEqual(['https://example.com/a.png', 'https://example.com/b.png']);
      const endless = serving(...Array.from({ length: 10 }, () => redirect('/again')));
      await expect(fetchIcon('https://example.com/a.png', endless)).rejects.toThrow('too often');
      expect(endless.requests.length).toBe(4);
    },
  );

  proves('M-BASE-043, L-SECURITY-017').test('too many bytes, pixels or frames are refused', async () => {
    const big = serving(picture(new Uint8Array(2000)));
    await expect(fetchIcon('https://example.com/a', { ...big, maxBytes: 1000 })).rejects.toThrow('1000 bytes');
    await expect(fetchIcon(dataUrl(new Uint8Array(2000)), { maxBytes: 1000 })).rejects.toThrow('1000 bytes');
    await expect(fetchIcon(dataUrl(png(60_000, 60_000)))).rejects.toThrow('60000 by 60000');
    await expect(fetchIcon(dataUrl(png(0, 10)))).rejects.toThrow('pixels');
    await expect(fetchIcon(dataUrl(png(10, 10, 100_000)))).rejects.toThrow('frames');
  });

  proves('M-BASE-043, L-SECURITY-014, L-SECURITY-020, L-SECURITY-021, M-BASE-045').test(
    'the bytes decide: pages, programs and pictures under a false name are refused',
    async () => {
      const html = new TextEncoder().encode('<html><script>alert(1)</script></html>');
      const svg = new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg"/>');
      await expect(fetchIcon('https://example.com/a.png', serving(picture(html)))).rejects.toThrow('not a PNG');
      await expect(fetchIcon(dataUrl(svg, 'image/svg+xml'))).rejects.toThrow('not a PNG');
      await expect(fetchIcon('https://example.com/a.png', serving(picture(png(1, 1), 'image/jpeg')))).rejects.toThrow(
        'declared as image/jpeg',
      );
      await expect(fetchIcon(dataUrl(png(1, 1)), { mimeType: 'image/gif' })).rejects.toThrow('declared as image/gif');
      await expect(fetchIcon(dataUrl(png(1, 1).slice(0, 20)))).rejects.toThrow('not a PNG');
      await expect(
        fetchIcon('https://example.com/a.png', serving(new Response('no', { status: 404 }))),
      ).rejects.toThrow('404');
      await expect(fetchIcon('data:image/png,plain')).rejects.toThrow('base64');
      await expect(fetchIcon('data:image/png;base64,@@@')).rejects.toThrow('decoded');
    },
  );

  test('the other formats', async () => {
    expect(await fetchIcon(dataUrl(gif, 'image/gif'))).toMatchObject({ type: 'image/gif', width: 1, height: 1 });
    const jpeg = Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 17, 8, 0, 20, 0, 30, 3]);
    expect(await fetchIcon(dataUrl(jpeg, 'image/jpg'))).toMatchObject({ type: 'image/jpeg', width: 30, height: 20 });
    const webp = new Uint8Array(30);
    webp.set(new TextEncoder().encode('RIFF'), 0);
    webp.set(new TextEncoder().encode('WEBPVP8X'), 8);
    webp.set([10], 16);
    webp.set([99, 0, 0, 49, 0, 0], 24);
    expect(await fetchIcon(dataUrl(webp, 'image/webp'))).toMatchObject({ type: 'image/webp', width: 100, height: 50 });
  });
});
