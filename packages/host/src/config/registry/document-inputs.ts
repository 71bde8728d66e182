import { isObject, type Json, type JsonObject } from '../../values/json.ts';
import type { InputDefinition } from '../server-entry.ts';
import { shown, type ProblemList } from './problem-list.ts';

type Path = readonly (string | number)[];

const MAX_INPUTS = 200;
const MAX_ID = 200;
const BRACES = /\{([^{}]{1,200})\}/g;
const ID = /^[^\p{Cc}\p{Cf}${}]{1,200}$/u;

/** The text of a member with `value`, `default`, `choices`, …: it may hold `${input:…}`. */
export interface InputText {
  readonly text: string;
  readonly isSecret: boolean;
}

const REFERENCE_START = '${';
/** Characters that could become a reference beside other texts. */
export const PARTS_OF_REFERENCES: RegExp = /[${}]/;

/** The placeholder of an input in a text. */
export const placeholder = (id: string): string => `\${input:${id}}`;

/**
 * Collects the inputs of one way to run a server. A `value` is fixed, but for its `{variables}`; without one, the user is asked. A fixed text with a
 * reference in it is refused: it would take a secret of another input, or of the environment, to a place of which nobody was warned.
 */
export class DocumentInputs {
  readonly inputs: InputDefinition[] = [];
  readonly #problems: ProblemList;

  constructor(problems: ProblemList) {
    this.#problems = problems;
  }

  /** The text of an input called `name`; `undefined` where it cannot be used. */
  textOf(name: string, input: JsonObject, path: Path): InputText | undefined {
    const { value, variables = {} } = input;
    if (value === undefined) {
      const isAdded = this.#add(name, input, path);
      return isAdded ? { text: placeholder(name), isSecret: input['isSecret'] === true } : undefined;
    }
    if (typeof value !== 'string' || value.includes('\0') || !isObject(variables)) {
      this.#problems.error('The value has to be a text, and the variables an object.', path);
      return undefined;
    }
    return this.filledIn(value, variables, { name, path, isList: input['isRepeated'] === true });
  }

  /** A text whose `{name}` are replaced by placeholders of the variables that are defined. Others are left as they stand. */
  filledIn(
    template: string,
    variables: JsonObject,
    of: { readonly name: string; readonly path: Path; readonly isList: boolean },
  ): InputText | undefined {
    if (template.includes(REFERENCE_START)) return this.#refuse(template, of.path);
    let isUsable = true;
    let isSecret = false;
    const ids = new Map<string, string>();
    for (const [, name = ''] of template.matchAll(BRACES)) {
      const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
      if (!isObject(variable) || ids.has(name)) continue;
      const path = [...of.path, 'variables', name];
      const fixed = variable['value'];
      const id = of.name === '' ? name : `${of.name}.${name}`;
      if (typeof fixed === 'string' && PARTS_OF_REFERENCES.test(fixed)) return this.#refuse(fixed, path);
      if (typeof fixed === 'string') ids.set(name, fixed);
      else if (this.#add(id, { ...variable, ...(of.isList && { isRepeated: true }) }, path))
        ids.set(name, placeholder(id));
      else isUsable = false;
      if (variable['isSecret'] === true) isSecret = true;
    }
    const text = template.replaceAll(BRACES, (whole, name: string) => ids.get(name) ?? whole);
    return isUsable ? { text, isSecret } : undefined;
  }

  #refuse(text: string, path: Path): undefined {
    this.#problems.error(`The text ${shown(text)} cannot be used: a reference in it would be replaced.`, path);
  }

  has(id: string): boolean {
    return this.inputs.some((input) => input.id === id);
  }

  #add(id: string, input: JsonObject, path: Path): boolean {
    if (!ID.test(id) || id.length > MAX_ID) {
      this.#problems.error(
        `The name ${shown(id)} cannot be used: it has unseen characters, braces, or more than ${MAX_ID} characters.`,
        path,
      );
      return false;
    }
    if (this.has(id)) {
      this.#problems.error(`The name ${shown(id)} is used for two values.`, path);
      return false;
    }
    if (this.inputs.length >= MAX_INPUTS) {
      this.#problems.error(`There are more than ${MAX_INPUTS} values to ask for.`, path);
      return false;
    }
    const definition = this.#definitionOf(id, input, path);
    if (definition !== undefined) this.inputs.push(definition);
    return definition !== undefined;
  }

  #definitionOf(id: string, input: JsonObject, path: Path): InputDefinition | undefined {
    const { choices, description, format = 'string', placeholder: hint } = input;
    const fallback = input['default'];
    if (choices !== undefined && !(Array.isArray(choices) && choices.every((one) => typeof one === 'string'))) {
      this.#problems.error('The choices have to be a list of texts.', [...path, 'choices']);
      return undefined;
    }
    if (fallback !== undefined && typeof fallback !== 'string')
      this.#problems.warning('The default is not a text, and is left out.', [...path, 'default']);
    const type = typeOf(format);
    if (type === undefined)
      this.#problems.warning(`The format ${shown(format)} is not known, and taken as a text.`, [...path, 'format']);
    const options = (choices as readonly string[] | undefined)?.map((value) => ({ label: value, value }));
    return {
      id,
      type: options !== undefined && options.length > 0 ? 'choice' : (type ?? 'text'),
      title: id,
      ...(typeof description === 'string' && { description }),
      ...(input['isSecret'] === true && { isSecret: true }),
      isRequired: input['isRequired'] === true,
      ...(input['isRepeated'] === true && { isList: true }),
      ...(options !== undefined && options.length > 0 && { options }),
      ...(typeof fallback === 'string' && { default: input['isRepeated'] === true ? [fallback] : fallback }),
      ...(typeof hint === 'string' && { other: { placeholder: hint } }),
    };
  }
}

/** A file path may be that of a folder too, so that it is taken as a text. */
function typeOf(format: Json | undefined): InputDefinition['type'] | undefined {
  if (format === 'number' || format === 'boolean') return format;
  return format === 'string' || format === 'filepath' ? 'text' : undefined;
}
