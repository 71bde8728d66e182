/** The command line of Crosspoint, as a function. */
export { run } from './run.ts';
