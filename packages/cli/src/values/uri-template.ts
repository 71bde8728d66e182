import { UriTemplate } from 'crosspoint/server';
import { CliError } from '../errors/cli-error.ts';

/** The variables of a template. Those of `{name}` and `{+name}` are needed: without one, the address would be another one's. */
export function variablesOf(template: string): { readonly all: readonly string[]; readonly needed: readonly string[] } {
  let all: readonly string[];
  try {
    all = new UriTemplate(template).variableNames;
  } catch (error) {
    const { message } = error as Error;
    throw new CliError('invalid', `The template ${JSON.stringify(template)} of the server cannot be read: ${message}`);
  }
  const plain = [...template.matchAll(/\{\+?([^{}+#./;?&][^{}]*)\}/g)].flatMap(([, names = '']) => names.split(','));
  const needed = new Set(plain.map((name) => name.replace(/(?::\d+|\*)$/, '')));
  return { all, needed: all.filter((name) => needed.has(name)) };
}

/** The URI of a template with these variables. Throws where one is missing or unknown. */
export function expandTemplate(template: string, given: Readonly<Record<string, string>>): string {
  const { all, needed } = variablesOf(template);
  requireVariables(template, Object.keys(given), all);
  const missing = needed.filter((name) => !Object.hasOwn(given, name));
  if (missing.length > 0)
    throw new CliError('usage', `The template ${JSON.stringify(template)} needs ${missing.join(', ')}.`, {
      hint: `Nothing was sent. Add ${missing.map((name) => `${name}=VALUE`).join(' ')}.`,
    });
  return new UriTemplate(template).expand(given);
}

/** Throws for a name that is no variable of the template. */
export function requireVariables(template: string, names: readonly string[], all: readonly string[]): void {
  const unknown = names.find((name) => !all.includes(name));
  if (unknown !== undefined)
    throw new CliError(
      'usage',
      `The template ${JSON.stringify(template)} has no variable ${JSON.stringify(unknown)}.`,
      {
        hint: `Nothing was sent. It has ${all.join(', ') || 'none'}.`,
        mistyped: { word: unknown, among: all },
      },
    );
}

/** Whether a URI may be one of the template's. A template that cannot be read has none. */
export function fitsTemplate(template: string, uri: string): boolean {
  try {
    return new UriTemplate(template).match(uri) !== null;
  } catch {
    return false;
  }
}
