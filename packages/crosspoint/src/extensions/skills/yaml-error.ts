/** The text is not YAML, or uses a part of it that front matter has no need of. */
export class YamlError extends Error {
  override name = 'YamlError';

  constructor(what: string, line: number) {
    super(`Line ${line}: ${what}.`);
  }
}
