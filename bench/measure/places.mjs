// The folder of a subject's programs: this one, unless the subject is another build in another checkout.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BENCH = join(dirname(fileURLToPath(import.meta.url)), '..');
const elsewhere = new Map();

/** @param {{ bench: string, subject: string }} place the folder of the benchmark in another checkout, and the subject's name there */
export function placeSubject(name, place) {
  elsewhere.set(name, place);
}

export const placeOf = (subject) => elsewhere.get(subject) ?? { bench: BENCH, subject };
