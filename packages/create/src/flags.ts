import { parseArgs } from 'node:util';
import { CHOICES, type Given } from './choices.ts';
import { CreateError } from './create-error.ts';

export const HELP = `Writes a small MCP project with a test and a passing lint.

  npm create crosspoint                         asks
  npm create crosspoint my-server               asks for the rest
  npm create crosspoint my-client -- --client --http --yes

With npm, flags come after a "--"; npx create-crosspoint, pnpm and yarn need none.

  folder                        a new or empty one; its name is the name of the project      (my-server, my-client)
  --server, --client            offers tools to models, or uses those of servers             (--server)
  --typescript, --javascript    the language                                                 (--typescript)
  --stdio, --http               started by its host, or reached at an address                (--stdio)
  -y, --yes                     asks nothing: the values in brackets for what is not given
  -h, --help                    shows this

Without a terminal nothing is asked, as with --yes. A file that exists is never overwritten.`;

export interface Flags {
  readonly given: Given;
  readonly help: boolean;
  /** Take the defaults instead of asking. */
  readonly yes: boolean;
}

const flag = { type: 'boolean' } as const;
const OPTIONS = {
  server: flag,
  client: flag,
  typescript: flag,
  javascript: flag,
  stdio: flag,
  http: flag,
  yes: { ...flag, short: 'y' },
  help: { ...flag, short: 'h' },
} as const;

/** Reads the command line. Throws a `CreateError` for a flag that is not known and for two that exclude each other. */
export function readFlags(args: readonly string[]): Flags {
  const { values, positionals } = parsed(args);
  if (positionals.length > 1)
    throw new CreateError(
      `One folder is expected, and ${positionals.length} came: ${positionals.join(', ')}. See --help.`,
    );
  const one = <Value extends keyof typeof values>(pair: readonly [Value, Value]): Value | undefined => {
    const chosen = pair.filter((value) => values[value] === true);
    if (chosen.length > 1) throw new CreateError(`--${pair.join(' and --')} exclude each other. Give one of them.`);
    return chosen[0];
  };
  const given = {
    folder: positionals[0],
    kind: one(CHOICES.kind),
    language: one(CHOICES.language),
    transport: one(CHOICES.transport),
  };
  return { given, help: values.help === true, yes: values.yes === true };
}

function parsed(
  args: readonly string[],
): ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>> {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    const [option = ''] = /'[^']*'/.exec((error as Error).message) ?? [];
    throw new CreateError(`The option ${option} is not known, or takes no value. --help lists the options.`, {
      cause: error,
    });
  }
}
