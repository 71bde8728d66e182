import { parseArgs } from 'node:util';

export const HELP = (
  targets,
) => `Sends bad input to everything that strangers can reach. Exits with 1 when something is found.

  npm run fuzz                                    every target, a minute in all
  npm run fuzz -- --minutes 30                    longer
  npm run fuzz -- --target schema,pattern         these alone
  npm run fuzz -- --seed 7                        the same inputs every time: depends on no earlier run
  npm run fuzz -- --replay .cache/fuzz/findings/http-crash-0123456789ab.json
                                                  one input again, of a finding or of the corpus; may be given several times

  --minutes N        how long, shared by the targets; 1 when absent, a part of one is allowed
  --target a,b       which of the targets below; all when absent
  --seed N           a whole number; when absent, a run goes on where the last one ended
  --replay FILE      run this input and nothing else
  --no-corpus        leave out the inputs of fuzz/corpus/, which are otherwise run first
  --help             this text

Targets:
${Object.values(targets)
  .map(({ name, about }) => `  ${name.padEnd(17)}${about}`)
  .join('\n')}

A finding is written to .cache/fuzz/findings/ as a file that --replay runs. Once it is mended, the file goes to fuzz/corpus/<target>/.
How to add a target: fuzz/README.md.`;

const OPTIONS = {
  minutes: { type: 'string', default: '1' },
  target: { type: 'string' },
  seed: { type: 'string' },
  replay: { type: 'string', multiple: true },
  'no-corpus': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
};

/**
 * @param {string[]} args the command line after the name of the program
 * @param {string[]} known the names of the targets
 */
export function readOptions(args, known) {
  const { values } = parseArgs({ args, options: OPTIONS });
  const minutes = Number(values.minutes);
  if (!(minutes > 0 && minutes <= 24 * 60))
    throw new Error(`--minutes takes a number above 0 and up to 1440, not "${String(values.minutes)}".`);
  const names = values.target?.split(',').map((name) => name.trim()) ?? known;
  const strange = names.find((name) => !known.includes(name));
  if (strange !== undefined) throw new Error(`There is no target "${strange}". There are: ${known.join(', ')}.`);
  if (values.seed !== undefined && !/^\d{1,15}$/.test(values.seed))
    throw new Error(`--seed takes a whole number, not "${String(values.seed)}".`);
  return {
    help: values.help,
    minutes,
    names,
    // Without a seed, the stored cursor makes each run continue with inputs that no run had before.
    seed: Number(values.seed ?? 0),
    isFresh: values.seed !== undefined,
    replay: values.replay,
    isCorpusRun: !values['no-corpus'],
  };
}
