import { relative } from 'node:path';
import type { Decided } from './choices.ts';

const WORDS = { typescript: 'TypeScript', javascript: 'JavaScript', stdio: 'stdio', http: 'HTTP' } as const;

/** The files that were written, and the commands that come next. */
export function nextSteps(
  decided: Decided,
  { name, folder }: { readonly name: string; readonly folder: string },
): string {
  const { kind, language, transport } = decided;
  const path = relative(process.cwd(), folder);
  const commands = [
    ...(path === '' ? [] : [[`cd ${quoted(path)}`, '']]),
    ['npm install', ''],
    ['npm test', ''],
    ['npm run lint', ''],
    ...lastStep(decided, { name, folder }),
  ];
  const width = Math.max(...commands.map(([command = '']) => command.length));
  const lines = commands.map(
    ([command = '', why = '']) => `  ${command.padEnd(why === '' ? 0 : width)}${why && `   ${why}`}`,
  );
  return [
    `${name} is an MCP ${kind} in ${WORDS[language]} over ${WORDS[transport]}. Next:`,
    '',
    ...lines,
    '',
    'README.md in the folder explains the rest.',
  ].join('\n');
}

function lastStep(
  { kind, language, transport }: Decided,
  { name, folder }: { readonly name: string; readonly folder: string },
): string[][] {
  if (kind === 'client') return [['npm start', 'lists and calls the tools of the example server']];
  if (transport === 'http') return [['npm start', 'serves http://127.0.0.1:3000/mcp']];
  const program = `${folder}/${language === 'typescript' ? 'dist' : 'src'}/main.js`;
  return [[`claude mcp add ${name} -- node ${quoted(program)}`, 'or open the folder in VS Code or Cursor']];
}

const quoted = (path: string): string => (path.includes(' ') ? `"${path}"` : path);
