import { fileURLToPath } from 'node:url';

/** Path of a program of `test/programs/`. */
export const program = (name: string): string => fileURLToPath(new URL(`programs/${name}`, import.meta.url));
