/** The surroundings of one run of the command: streams, variables, the folder. Tests give their own. */
export interface Io {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The file that runs this command, by which a keeper is started. */
  readonly program: string;
  /** stdin holds the lines of a shell: a command may ask a person there, and must not read it to its end. */
  readonly isShared?: true;
}

/** The process itself, but for what is given in its place. stdin is opened when it is used. */
export function processIo(program: string, given: Partial<Pick<Io, 'env' | 'stdin'>> = {}): Io {
  const { stdout, stderr, env } = process;
  return {
    get stdin() {
      return given.stdin ?? process.stdin;
    },
    stdout,
    stderr,
    env: given.env ?? env,
    cwd: process.cwd(),
    program,
  };
}
