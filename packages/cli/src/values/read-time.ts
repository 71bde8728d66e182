import { CliError } from '../errors/cli-error.ts';

const AGO = /^(\d{1,9})(s|m|h|d)$/;
const MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;

/** A moment as milliseconds since 1970: `30m`, `2h` and `7d` ago, or a date such as 2026-11-16 or 2026-11-16T08:00. */
export function readTime(option: string, text: string, now: number = Date.now()): number {
  const [, number, unit] = AGO.exec(text) ?? [];
  if (number !== undefined) return now - Number(number) * MS[unit as keyof typeof MS];
  const date = DATE.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(date)) return date;
  throw new CliError(
    'usage',
    `--${option} must be a time such as 30m, 2h, 7d, 2026-11-16 or 2026-11-16T08:00, not ${JSON.stringify(text)}.`,
  );
}
