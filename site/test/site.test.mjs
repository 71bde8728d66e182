import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM_FLAGS, findChromium } from '../../packages/crosspoint/test/chromium.ts';
import { buildSite } from '../build-site.mjs';
import { serveSite } from '../serve-site.mjs';
import { lowContrast } from './low-contrast.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const WIDTHS = [360, 1440];
const SCHEMES = ['light', 'dark'];
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Pages that together hold every kind of element. axe takes most of a second for a page, so that it sees these alone, unless `EVERY_PAGE` is set. Widths,
 * headings and contrast are checked on every page always; axe is slow on colours, so `lowContrast` checks those of the other pages.
 */
const EXAMPLES = [
  'index.html',
  'guide/tools.html',
  'guide/asking.html',
  'http.html',
  'troubleshooting.html',
  'reference/testing.html',
  'decisions/011-docs-site.html',
];

const seesAll = process.env['EVERY_PAGE'] === 'true';
const executablePath = findChromium();
if (executablePath === undefined) console.warn('There is no chromium here: the site is not tried in a real browser.');

describe.skipIf(executablePath === undefined)('the site in a real browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-site-'));
  const asked = new Set();
  let addresses;
  let site;
  let browser;

  beforeAll(async () => {
    addresses = buildSite({ root, out: folder }).pages.map(({ address }) => address);
    site = await serveSite(folder);
    browser = await chromium.launch({ executablePath, headless: true, args: CHROMIUM_FLAGS, timeout: 60_000 });
  }, 90_000);
  afterAll(async () => {
    await browser?.close();
    await site?.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  async function open(colorScheme) {
    // Without motion, which would have the contrast measured half way.
    const context = await browser.newContext({
      colorScheme,
      reducedMotion: 'reduce',
      viewport: { width: 1440, height: 900 },
    });
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    page.on('request', (request) => asked.add(new URL(request.url()).origin));
    return page;
  }

  /** The findings of axe, with the place of each. */
  async function violations(page, options) {
    const settings = { resultTypes: ['violations'], preload: false, iframes: false, ...options };
    const found = await page.evaluate((given) => window.axe.run(document, given), settings);
    return found.violations.flatMap(({ id, nodes }) =>
      nodes.slice(0, 3).map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary}`),
    );
  }

  test(
    `no page scrolls sideways or lacks contrast, and ${seesAll ? 'none' : 'no example'} breaks a rule of accessibility`,
    { timeout: 420_000 },
    async () => {
      const page = await open('light');
      const problems = [];
      page.on('pageerror', (error) => problems.push(`${page.url()}: ${error.message}`));
      for (const address of addresses) {
        await page.goto(site.url + address);
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 900 });
          const { wide, headings } = await page.evaluate(() => ({
            wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
            headings: document.querySelectorAll('h1').length,
          }));
          if (wide > 0) problems.push(`${address} is ${wide} px too wide at ${width} px`);
          if (headings !== 1) problems.push(`${address} has ${headings} h1`);
        }
        for (const colorScheme of SCHEMES) {
          await page.emulateMedia({ colorScheme });
          const { seen, found } = await page.evaluate(lowContrast);
          expect(seen, address).toBeGreaterThan(20);
          problems.push(...found.map((pair) => `${address}: ${pair}`));
        }
        await page.emulateMedia({ colorScheme: 'light' });
        if (!seesAll && !EXAMPLES.includes(address)) continue;
        await page.evaluate(axe);
        const broken = await violations(page, { rules: { 'color-contrast': { enabled: false } } });
        problems.push(...broken.map((violation) => `${address}: ${violation}`));
      }
      await page.context().close();
      expect(problems).toEqual([]);
    },
  );

  test.each(SCHEMES)('axe finds nothing wrong with the colours, %s', { timeout: 180_000 }, async (colorScheme) => {
    const page = await open(colorScheme);
    const problems = [];
    for (const address of EXAMPLES) {
      await page.goto(site.url + address);
      await page.evaluate(axe);
      const broken = await violations(page, { runOnly: ['color-contrast'] });
      problems.push(...broken.map((violation) => `${address}: ${violation}`));
    }
    await page.context().close();
    expect(addresses).toEqual(expect.arrayContaining(EXAMPLES));
    expect(problems).toEqual([]);
  });

  test('a colour that is too pale would be found', { timeout: 120_000 }, async () => {
    const page = await open('light');
    await page.goto(site.url);
    expect((await page.evaluate(lowContrast)).found).toEqual([]);
    await page.evaluate(() => document.documentElement.style.setProperty('--quiet', '#999'));
    expect((await page.evaluate(lowContrast)).found).not.toEqual([]);
    await page.context().close();
  });

  test('the search finds an explanation, and the keyboard alone leads there', { timeout: 120_000 }, async () => {
    const page = await open('light');
    await page.goto(`${site.url}guide/tasks.html`);
    await page.keyboard.press('/');
    await page.keyboard.type('order of checks');
    await page.waitForFunction(() => document.querySelector('#found a') !== null);
    expect(await page.innerText('#found [role=status]')).toMatch(/^\d+ places?, the best first\.$/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/http.html#the-order-of-checks');
    expect(await page.innerText('h1')).toBe('Serving over HTTP');
    await page.context().close();
  });

  test(
    'a small screen has a menu that opens by keyboard, and the skip link leads to the content',
    { timeout: 120_000 },
    async () => {
      const page = await open('light');
      await page.setViewportSize({ width: 360, height: 900 });
      await page.goto(site.url);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('content');
      expect(await page.isVisible('#pages')).toBe(false);
      await page.focus('.menu');
      await page.keyboard.press('Enter');
      expect(await page.getAttribute('.menu', 'aria-expanded')).toBe('true');
      expect(await page.innerText('#pages [aria-current=page]')).toBe('Crosspoint');
      await page.context().close();
    },
  );

  test('nothing was asked of anybody else', () => {
    expect([...asked]).toEqual([new URL(site.url).origin]);
  });
});
