import { homedir } from 'node:os';
import { join } from 'node:path';

/** `${…}` of a manifest. What stands between the braces has no brace and at most 200 characters. */
const VARIABLE = /\$\{([^{}]{1,200})\}/g;
const WHOLE = /^\$\{([^{}]{1,200})\}$/;
const OPTION = 'user_config.';

/** Folders that `${HOME}`, `${DESKTOP}`, `${DOCUMENTS}` and `${DOWNLOADS}` stand for. */
export interface UserFolders {
  readonly home: string;
  readonly desktop: string;
  readonly documents: string;
  readonly downloads: string;
}

/** The folders of the user who runs this program, by their usual names. */
export function userFolders(home: string = homedir()): UserFolders {
  return {
    home,
    desktop: join(home, 'Desktop'),
    documents: join(home, 'Documents'),
    downloads: join(home, 'Downloads'),
  };
}

export function variablesIn(text: string): string[] {
  return [...text.matchAll(VARIABLE)].map(([, name = '']) => name);
}

/** The key of `user_config` that a variable names. */
export function optionOf(variable: string): string | undefined {
  return variable.startsWith(OPTION) ? variable.slice(OPTION.length) : undefined;
}

const FOLDER_VARIABLES: ReadonlyMap<string, keyof UserFolders> = new Map([
  ['HOME', 'home'],
  ['DESKTOP', 'desktop'],
  ['DOCUMENTS', 'documents'],
  ['DOWNLOADS', 'downloads'],
]);
const SEPARATORS = ['/', 'pathSeparator'];
const BUNDLE_FOLDER = '__dirname';

export function isKnownVariable(variable: string): boolean {
  return variable === BUNDLE_FOLDER || SEPARATORS.includes(variable) || FOLDER_VARIABLES.has(variable);
}

/** Everything that variables can stand for. `null`: an option without a value. */
export interface VariableValues {
  /** Absent where `${__dirname}` means nothing, as in defaults. */
  readonly bundleFolder?: string;
  readonly separator: string;
  /** Between the values of a list inside of a longer text, as between the folders of `PATH`. */
  readonly delimiter: string;
  readonly folders: UserFolders;
  readonly options: ReadonlyMap<string, string | readonly string[] | null>;
}

function valueOf(variable: string, values: VariableValues): string | readonly string[] | null | undefined {
  const key = optionOf(variable);
  if (key !== undefined) return values.options.get(key);
  const folder = FOLDER_VARIABLES.get(variable);
  if (folder !== undefined) return values.folders[folder];
  if (SEPARATORS.includes(variable)) return values.separator;
  return variable === BUNDLE_FOLDER ? values.bundleFolder : undefined;
}

/**
 * A text with its variables replaced, once: a value is never looked at for variables again. An unknown variable is left as it stands. `undefined` where a
 * variable has no value: the text is not to be used at all. Several values are joined by the delimiter.
 */
export function substituted(text: string, values: VariableValues): string | undefined {
  let isComplete = true;
  const result = text.replaceAll(VARIABLE, (whole, variable: string) => {
    const value = valueOf(variable, values);
    if (value === null) isComplete = false;
    if (value === null || value === undefined) return whole;
    return typeof value === 'string' ? value : value.join(values.delimiter);
  });
  return isComplete ? result : undefined;
}

/** The arguments that one text becomes: several where it is a single variable with several values, none where a value is missing. */
export function substitutedArguments(text: string, values: VariableValues): readonly string[] {
  const variable = WHOLE.exec(text)?.[1];
  const value = variable === undefined ? undefined : valueOf(variable, values);
  if (Array.isArray(value)) return value as readonly string[];
  const result = substituted(text, values);
  return result === undefined ? [] : [result];
}
