/** URI templates from strangers: valid, or refused; matching takes bounded work for any address. Those of the old paths refuse as v1 does. */
import { UriTemplate as OldUriTemplate } from '@crosspoint/sdk/shared/uriTemplate.js';
import { UriTemplate } from 'crosspoint';
import { fault, timed, verdict } from '../engine/verdict.mjs';
import { hostileString } from '../inputs/hostile-values.mjs';
import { changedText } from '../inputs/mutate.mjs';
import { textOf } from '../inputs/text.mjs';

const MOST_MS = 1000;
/** The errors with which each refuses. */
const KINDS = [
  { Template: UriTemplate, refusals: ['TypeError'] },
  { Template: OldUriTemplate, refusals: ['Error', 'TypeError', 'URIError'] },
];

export const target = {
  name: 'uri-template',
  about: 'URI templates and addresses',
  start: () => Promise.resolve({ generate, run }),
};

const PIECES = [
  'note://',
  'a',
  '/',
  '{x}',
  '{+x}',
  '{#y}',
  '{.x}',
  '{/x}',
  '{/x*}',
  '{;x,y}',
  '{?x,y}',
  '{?x*}',
  '{&y}',
  '{x:3}',
  '{x*}',
  '{+x,y}',
  '%20',
  'é',
  '{',
  '}',
  '{}',
  '{ x}',
  '{x,}',
  '{!x}',
  '{x:0}',
  '{x:99999}',
  '{__proto__}',
];
const VALUES = [
  'a',
  '',
  'a/b',
  '%',
  'é',
  '\ud800',
  ['a', 'b'],
  [],
  { k: 'v' },
  { __proto__: null, '': '' },
  1,
  true,
  null,
];

function generate(random) {
  const template = random.list(1, 8, () => random.pick(PIECES)).join('');
  return {
    template: random.chance(0.15) ? changedText(random, template) : template,
    variables: { x: random.pick(VALUES), y: random.pick(VALUES) },
    uri: random
      .list(0, 8, () =>
        random.pick([
          'note://',
          'a',
          '/',
          '?x=',
          '&y=',
          '#',
          ';x=',
          '.',
          '%2F',
          '%zz',
          ',',
          'x'.repeat(random.size(3000)),
          hostileString(random),
        ]),
      )
      .join(''),
  };
}

async function run(input) {
  const verdicts = KINDS.map((kind) => tryKind(kind, input));
  return verdict(
    verdicts.map(({ shape }) => shape).join(' | '),
    verdicts.flatMap(({ faults }) => faults),
  );
}

function tryKind({ Template, refusals }, { template: source, variables, uri }) {
  const crash = (error) =>
    error === undefined || refusals.includes(error?.constructor?.name) ? [] : [fault('crash', String(error?.stack))];
  const made = timed(MOST_MS, () => attempt(() => new Template(textOf(source))));
  if (made.value.error) return { shape: 'refused', faults: [...made.faults, ...crash(made.value.error)] };
  const template = made.value.given;
  const faults = made.faults;
  const expanded = timed(MOST_MS, () => attempt(() => template.expand(variables)));
  const matched = timed(MOST_MS, () => attempt(() => template.match(textOf(uri))));
  faults.push(...expanded.faults, ...matched.faults);
  for (const { error } of [expanded.value, matched.value]) faults.push(...crash(error));
  if (expanded.value.given !== undefined)
    faults.push(...timed(MOST_MS, () => template.match(expanded.value.given)).faults);
  return { shape: `${matched.value.given === null} ${textOf(source).replaceAll(/[a-z]/g, '').slice(0, 6)}`, faults };
}

function attempt(work) {
  try {
    return { given: work() };
  } catch (error) {
    return { error };
  }
}
