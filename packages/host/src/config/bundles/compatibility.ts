import type { DocumentProblem } from '../document-problem.ts';
import { shownName } from './bundle-error.ts';
import type { BundleManifest } from './manifest.ts';

/** The machine that a bundle is to run on. */
export interface Machine {
  /** As `process.platform` has it. */
  readonly platform: string;
  /** Versions of the runtimes that are there; one that is not named is not checked. */
  readonly runtimes?: { readonly node?: string; readonly python?: string };
}

/** The reasons why a bundle does not run on a machine; none where it fits. */
export function compatibilityProblems({ compatibility }: BundleManifest, machine: Machine): readonly DocumentProblem[] {
  const { platforms, runtimes = {} } = compatibility ?? {};
  const problems: DocumentProblem[] = [];
  if (platforms !== undefined && !platforms.includes(machine.platform))
    problems.push({
      severity: 'error',
      pointer: '/compatibility/platforms',
      message: `The bundle is for ${platforms.map(shownName).join(', ')}, and this is ${machine.platform}. Ask its author for one for this system.`,
    });
  for (const runtime of ['node', 'python'] as const) {
    const range = runtimes[runtime];
    const version = machine.runtimes?.[runtime];
    if (range === undefined || version === undefined || satisfies(version, range) === true) continue;
    const isUnknown = satisfies(version, range) === undefined;
    problems.push({
      severity: isUnknown ? 'warning' : 'error',
      pointer: `/compatibility/runtimes/${runtime}`,
      message: isUnknown
        ? `The range ${shownName(range)} of ${runtime} cannot be read, and is not checked.`
        : `The bundle needs ${runtime} ${shownName(range)}, and this machine has ${shownName(version)}. Install a version that fits.`,
    });
  }
  return problems;
}

const VERSION = /^v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:[-+.][0-9A-Za-z.+-]{0,100})?$/;
const COMPARATOR = /^(>=|<=|>|<|==|=|\^|~=|~|!=)?\s*(\S{1,100})$/;
const SPACE_AFTER_OPERATOR = /([<>=~^!])\s{1,10}/g;

type Numbers = readonly [number, number, number];

/** Whether a version is in a range of comparators, joined by spaces or commas, alternatives by `||`. `undefined` where the range cannot be read. */
export function satisfies(version: string, range: string): boolean | undefined {
  const numbers = numbersOf(version);
  if (numbers === undefined || range.length > 500) return undefined;
  const results = range.split('||').map((part) => satisfiesAll(numbers, part));
  if (results.includes(true)) return true;
  return results.includes(undefined) ? undefined : false;
}

function satisfiesAll(version: Numbers, part: string): boolean | undefined {
  const comparators = part
    .replaceAll(SPACE_AFTER_OPERATOR, '$1')
    .split(/[\s,]+/)
    .filter((text) => text !== '' && text !== '*');
  const results = comparators.map((comparator) => satisfiesOne(version, comparator));
  return results.includes(undefined) ? undefined : !results.includes(false);
}

function satisfiesOne(version: Numbers, comparator: string): boolean | undefined {
  const [, operator = '', text = ''] = COMPARATOR.exec(comparator) ?? [];
  const wanted = text.replace(/(?:\.[x*]){1,2}$/i, '');
  const bound = numbersOf(wanted);
  if (bound === undefined) return undefined;
  const parts = wanted.split('.').length;
  const order = compare(version, bound);
  switch (operator) {
    case '>=':
      return order >= 0;
    case '>':
      return order > 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '!=':
      return order !== 0;
    case '^':
      return (
        order >= 0 &&
        compare(
          version,
          next(
            bound,
            Math.max(
              0,
              bound.findIndex((n) => n > 0),
            ),
          ),
        ) < 0
      );
    case '~':
      return order >= 0 && compare(version, next(bound, parts === 1 ? 0 : 1)) < 0;
    case '~=':
      return order >= 0 && compare(version, next(bound, Math.max(0, parts - 2))) < 0;
    default:
      return parts === 3 ? order === 0 : order >= 0 && compare(version, next(bound, parts - 1)) < 0;
  }
}

function numbersOf(version: string): Numbers | undefined {
  const found = VERSION.exec(version.trim());
  return found === null ? undefined : [Number(found[1]), Number(found[2] ?? 0), Number(found[3] ?? 0)];
}

function compare(a: Numbers, b: Numbers): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

/** The first version after those that share the numbers up to `at`. */
function next([major, minor, patch]: Numbers, at: number): Numbers {
  if (at === 0) return [major + 1, 0, 0];
  return at === 1 ? [major, minor + 1, 0] : [major, minor, patch + 1];
}
