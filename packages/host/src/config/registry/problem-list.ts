import { visibleLine } from '../../values/visible-text.ts';
import { pointerOf, type DocumentProblem } from '../document-problem.ts';

const MAX_SHOWN = 100;
const MAX_PROBLEMS = 200;

type Path = readonly (string | number)[];

/** Collects the problems of a document; of very many, the first. */
export class ProblemList {
  readonly problems: DocumentProblem[] = [];

  error(message: string, path: Path): void {
    this.#add('error', message, path);
  }

  warning(message: string, path: Path): void {
    this.#add('warning', message, path);
  }

  #add(severity: 'error' | 'warning', message: string, path: Path): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push({ severity, message, pointer: pointerOf(...path) });
  }
}

/** A value of the document as people may see it. */
export function shown(value: unknown): string {
  const text = visibleLine(typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing'));
  return `"${text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text}"`;
}
