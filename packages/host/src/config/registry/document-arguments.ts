import { isObject, type Json, type JsonObject } from '../../values/json.ts';
import type { DocumentInputs } from './document-inputs.ts';
import { shown, type ProblemList } from './problem-list.ts';
import type { ArgumentGroup } from './registry-entry.ts';

type Path = readonly (string | number)[];

const OPTION_NAME = /^-{0,2}[A-Za-z0-9][A-Za-z0-9._:-]{0,100}$/;
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,200}$/;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
const MAX_ARGUMENTS = 200;
/** Members that say that an option has a value; an option without any of them stands alone. */
const SIGNS_OF_VALUE = [
  'value',
  'default',
  'choices',
  'format',
  'placeholder',
  'valueHint',
  'isRequired',
  'isSecret',
  'isRepeated',
  'variables',
];

export const isVariableName = (name: string): boolean => VARIABLE_NAME.test(name);
export const isHeaderName = (name: string): boolean => HEADER_NAME.test(name);

/** The arguments of a list; `undefined`, and a problem, where one of them cannot be used. */
export function argumentGroups(
  list: Json | undefined,
  inputs: DocumentInputs,
  path: Path,
  problems: ProblemList,
): readonly ArgumentGroup[] | undefined {
  if (list === undefined) return [];
  if (!Array.isArray(list) || list.length > MAX_ARGUMENTS) {
    problems.error(`It has to be a list of at most ${MAX_ARGUMENTS} arguments.`, path);
    return undefined;
  }
  const groups: ArgumentGroup[] = [];
  for (const [at, one] of (list as readonly Json[]).entries()) {
    const where = [...path, at];
    const group = isObject(one) ? groupOf(one, inputs, where, problems) : undefined;
    if (group === undefined) {
      problems.error(
        `The argument ${shown(isObject(one) ? (one['name'] ?? one['valueHint'] ?? one['value']) : one)} cannot be used.`,
        where,
      );
      return undefined;
    }
    groups.push(group);
  }
  return groups;
}

function groupOf(
  one: JsonObject,
  inputs: DocumentInputs,
  path: Path,
  problems: ProblemList,
): ArgumentGroup | undefined {
  const { type, name, valueHint } = one;
  const isRepeated = one['isRepeated'] === true;
  if (type === 'positional') {
    const id = typeof valueHint === 'string' ? valueHint : `argument ${String(path.at(-1))}`;
    if (typeof valueHint !== 'string' && typeof one['value'] !== 'string') return undefined;
    const text = inputs.textOf(id, one, path);
    warnOfSecret(text?.isSecret, id, path, problems);
    return text === undefined ? undefined : { texts: [text.text], isRepeated };
  }
  if (type !== 'named' || typeof name !== 'string' || !OPTION_NAME.test(name)) return undefined;
  if (!SIGNS_OF_VALUE.some((member) => Object.hasOwn(one, member))) return { texts: [name], isRepeated: false };
  const text = inputs.textOf(name, one, path);
  warnOfSecret(text?.isSecret, name, path, problems);
  if (text === undefined) return undefined;
  return { texts: name.startsWith('--') ? [`${name}=${text.text}`] : [name, text.text], isRepeated };
}

function warnOfSecret(isSecret: boolean | undefined, name: string, path: Path, problems: ProblemList): void {
  if (isSecret === true)
    problems.warning(
      `The secret ${shown(name)} becomes a part of the command line, which every program of this machine can read.`,
      path,
    );
}
