/** Programs that fetch a package and run it: their names, the words before the package, and the options that take a value. */
interface Runner {
  readonly words: readonly string[];
  /** Options whose value is the package. */
  readonly packageOptions: readonly string[];
  readonly isPinned: RegExp;
}

const NPM_PINNED = /^(?:@[^/@]+\/)?[^@]+@v?\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/;
const PYTHON_PINNED = /(?:==|@)v?\d+(?:\.\d+)+/;
const npm = { packageOptions: ['-p', '--package'], isPinned: NPM_PINNED };
const python = { packageOptions: ['--from', '--spec'], isPinned: PYTHON_PINNED };

const RUNNERS: readonly Runner[] = [
  { words: ['npx'], ...npm },
  { words: ['bunx'], ...npm },
  { words: ['pnpx'], ...npm },
  { words: ['npm', 'exec'], ...npm },
  { words: ['npm', 'x'], ...npm },
  { words: ['bun', 'x'], ...npm },
  { words: ['pnpm', 'dlx'], ...npm },
  { words: ['yarn', 'dlx'], ...npm },
  { words: ['uvx'], ...python },
  { words: ['uv', 'tool', 'run'], ...python },
  { words: ['pipx', 'run'], ...python },
];

/** The package that a command fetches in whatever version there is then; `undefined` when it fetches none, or one version alone. */
export function unpinnedPackage(words: readonly string[]): string | undefined {
  for (const [at] of words.entries()) {
    const runner = RUNNERS.find((one) => one.words.every((word, step) => words[at + step] === word));
    if (runner === undefined) continue;
    const found = packageIn(words.slice(at + runner.words.length), runner);
    return found === undefined || isLocal(found) || runner.isPinned.test(found) ? undefined : found;
  }
  return undefined;
}

function packageIn(args: readonly string[], { packageOptions }: Runner): string | undefined {
  for (const [at, arg] of args.entries()) {
    const [option = '', value] = arg.split('=', 2);
    if (packageOptions.includes(option)) return value ?? args[at + 1];
    if (!arg.startsWith('-')) return arg;
  }
  return undefined;
}

const isLocal = (name: string): boolean => /^(?:\.{0,2}[/\\]|[A-Za-z]:\\)/.test(name);
