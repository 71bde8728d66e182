import type { OptionSpecs } from './command.ts';

/** Options of every command. */
export const GLOBAL_OPTIONS = {
  json: { type: 'flag', says: 'Print the result as JSON. That is also done when stdout is no terminal.' },
  text: { type: 'flag', says: 'Print the result for people, also when stdout is no terminal.' },
  quiet: { type: 'flag', short: 'q', says: 'Print nothing on stderr but errors.' },
  timeout: {
    type: 'number',
    value: 'SECONDS',
    least: 0.001,
    most: 86_400,
    says: 'End the command after this time, with exit code 9.',
  },
  'no-browser': { type: 'flag', says: 'Open no browser: print the address of a login or page instead.' },
  help: { type: 'flag', short: 'h', says: 'Print how the command is used.' },
} as const satisfies OptionSpecs;

/** Options of every command that takes a server. */
export const TARGET_OPTIONS = {
  family: {
    type: 'text',
    value: 'FAMILY',
    words: ['auto', 'handshake', 'per-request'],
    says: 'Speak one family of revisions only: handshake (2024-11-05 to 2025-11-25) or per-request (2026-07-28).',
  },
  revision: { type: 'text', value: 'DATE', says: 'Speak this revision only, such as 2025-06-18.' },
  header: {
    type: 'texts',
    value: 'NAME=VALUE',
    says: 'Send a header to a server at an address. A secret is written as NAME=@FILE or NAME=env:VARIABLE.',
  },
  env: {
    type: 'texts',
    value: 'NAME[=VALUE]',
    says: 'Give a variable to the command after "--": NAME hands it on, NAME=@FILE and NAME=env:OTHER keep secrets out of the command line.',
  },
  cwd: { type: 'text', value: 'FOLDER', completes: 'file', says: 'Run the command after "--" in this folder.' },
  root: { type: 'texts', value: 'FOLDER', completes: 'file', says: 'Tell the server of this folder, if it asks.' },
  rules: {
    type: 'text',
    value: 'FILE',
    completes: 'file',
    says: "Answer the server's questions by the rules of this file.",
  },
} as const satisfies OptionSpecs;
