// Measures the type checker on a file with many tools.
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { nodeCommand, SERVER_CORE } from './processes.mjs';

const BENCH = join(dirname(fileURLToPath(import.meta.url)), '..');
const COMPILER = join(BENCH, '..', 'node_modules', 'typescript', 'bin', 'tsc');
const OPTIONS = {
  target: 'ES2023',
  lib: ['ES2023'],
  module: 'NodeNext',
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  types: [],
};

const run = promisify(execFile);

function toolSource(index, isShape) {
  const [input, output] = ['{ a: z.number(), b: z.number() }', '{ sum: z.number() }'];
  return `
server.registerTool(
  'add_${index}',
  {
    description: 'Adds two numbers, number ${index}',
    inputSchema: ${isShape ? input : `z.object(${input})`},
    outputSchema: ${isShape ? output : `z.object(${output})`},
  },
  async ({ a, b }) => {
    const sum = a + b;
    return { content: [{ type: 'text', text: String(sum) }], structuredContent: { sum } };
  },
);
`;
}

/** A program with `count` tools; `head` brings in `McpServer`. */
export function manyTools(head, count, isShape = false) {
  const tools = Array.from({ length: count }, (_, index) => toolSource(index, isShape));
  const server = "const server = new McpServer({ name: 'many', version: '1.0.0' });\n";
  return `${head}\nimport { z } from 'zod';\n\n${server}${tools.join('')}`;
}

function figure(text, name) {
  const found = new RegExp(`^${name}:\\s*([\\d.]+)`, 'm').exec(text)?.[1];
  if (found === undefined) throw new Error(`The compiler does not tell "${name}".`);
  return Number(found);
}

/** Type-checks a program, alone on one core, and returns the compiler's figures. A program with an error is no sample. */
export async function checkTypes(name, source) {
  const folder = join(BENCH, '.cache', 'types', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'program.ts'), source);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS, files: ['program.ts'] }));
  const [command, ...args] = nodeCommand(SERVER_CORE, [
    COMPILER,
    '-p',
    folder,
    '--extendedDiagnostics',
    '--singleThreaded',
  ]);
  const { stdout } = await run(command, args).catch((error) => {
    throw new Error(`${name} does not compile: ${String(error.stdout).slice(0, 500)}`);
  });
  return {
    checkMs: figure(stdout, 'Check time') * 1000,
    memoryMb: figure(stdout, 'Memory used') / 1000,
    instantiations: figure(stdout, 'Instantiations'),
  };
}
