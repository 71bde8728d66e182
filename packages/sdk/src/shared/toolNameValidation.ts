/** `shared/toolNameValidation.js` of v1: the recommendations of SEP-986 for tool names. */

const LONGEST = 128;
const ALLOWED = /[A-Za-z0-9._-]/;

/** Whether a name follows the recommendations, with warnings. */
export function validateToolName(name: string): { isValid: boolean; warnings: string[] } {
  if (name.length === 0) return { isValid: false, warnings: ['Tool name cannot be empty'] };
  if (name.length > LONGEST) {
    const warning = `Tool name exceeds maximum length of ${LONGEST} characters (current: ${name.length})`;
    return { isValid: false, warnings: [warning] };
  }
  const warnings: string[] = [];
  for (const [character, what] of SEPARATORS)
    if (name.includes(character)) warnings.push(`Tool name contains ${what}, which may cause parsing issues`);
  for (const [character, what] of ENDS)
    if (name.startsWith(character) || name.endsWith(character))
      warnings.push(`Tool name starts or ends with a ${what}, which may cause parsing issues in some contexts`);
  // By UTF-16 unit, as v1 counts them.
  const strange = [...new Set(name.split(''))].filter((character) => !ALLOWED.test(character));
  if (strange.length > 0)
    warnings.push(
      `Tool name contains invalid characters: ${strange.map((character) => `"${character}"`).join(', ')}`,
      'Allowed characters are: A-Z, a-z, 0-9, underscore (_), dash (-), and dot (.)',
    );
  return { isValid: strange.length === 0, warnings };
}

const SEPARATORS = [
  [' ', 'spaces'],
  [',', 'commas'],
] as const;
const ENDS = [
  ['-', 'dash'],
  ['.', 'dot'],
] as const;

/** Writes warnings to stderr, which carries no protocol messages. */
export function issueToolNameWarning(name: string, warnings: string[]): void {
  if (warnings.length === 0) return;
  console.warn(`Tool name validation warning for "${name}":`);
  for (const warning of warnings) console.warn(`  - ${warning}`);
  console.warn('Tool registration will proceed, but this may cause compatibility issues.');
  console.warn('Consider updating the tool name to conform to the MCP tool naming standard.');
  console.warn(
    'See SEP: Specify Format for Tool Names (https://github.com/modelcontextprotocol/modelcontextprotocol/issues/986) for more details.',
  );
}

/** Writes warnings, and returns whether the name follows the recommendations. */
export function validateAndWarnToolName(name: string): boolean {
  const { isValid, warnings } = validateToolName(name);
  issueToolNameWarning(name, warnings);
  return isValid;
}
