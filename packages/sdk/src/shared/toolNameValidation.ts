/** `shared/toolNameValidation.js` of v1: the recommendations of SEP-986 for tool names. */

const LONGEST = 128;
const ALLOWED = /[A-Za-z0-9._-]/;

/** Whether a name follows the recommendations, with warnings. */
export function validateToolName(name: string): { isValid: boolean; warnings: string[] } {
  if (name.length === 0) return { isValid: false, warnings: ['The tool name is empty.'] };
  if (name.length > LONGEST)
    return { isValid: false, warnings: [`The tool name has ${name.length} characters, more than ${LONGEST}.`] };
  const warnings: string[] = [];
  const strange = [...new Set(name)].filter((character) => !ALLOWED.test(character));
  if (strange.length > 0) {
    const shown = strange.map((character) => JSON.stringify(character)).join(', ');
    warnings.push(`The tool name holds ${shown}; allowed are letters, digits, "_", "-" and ".".`);
  }
  if (/^[-.]|[-.]$/.test(name))
    warnings.push('The tool name begins or ends with a dash or a dot, which some programs misread.');
  return { isValid: strange.length === 0, warnings };
}

/** Writes warnings to stderr, which carries no protocol messages. */
export function issueToolNameWarning(name: string, warnings: string[]): void {
  if (warnings.length > 0) console.warn(`The tool ${JSON.stringify(name)} is registered, but: ${warnings.join(' ')}`);
}

/** Writes warnings, and returns whether the name follows the recommendations. */
export function validateAndWarnToolName(name: string): boolean {
  const { isValid, warnings } = validateToolName(name);
  issueToolNameWarning(name, warnings);
  return isValid;
}
