import type { CommandContext } from '../../context.ts';
import type { Finding } from '../../doctor/finding.ts';
import type { Patient } from '../../doctor/patient.ts';
import { CliError } from '../../errors/cli-error.ts';
import { defineCommand, type Command, type TargetWords } from '../../grammar/command.ts';
import type { Colours } from '../../output/colours.ts';
import { asError } from '../../errors/as-error.ts';

export const doctor: Command = defineCommand({
  path: ['doctor'],
  says: 'Look for the cause when a server does not work.',
  about:
    'Goes through every step on the way to a server: command or name, connection, certificate, web server, login, revision, what it declares, its schemas, and how much of a context its tools take. Each fault is told with its remedy. Tools are not called. Exit code 7 when something is bad.',
  target: 'needed',
  examples: [
    { line: 'crosspoint doctor https://example.com/mcp', says: 'An address, from its name to its tools.' },
    { line: 'crosspoint doctor -- node server.js', says: 'A program.' },
  ],
  prints: '{ server, ok, findings: [{ step, status: "good" | "warning" | "bad" | "skipped", says, remedy? }] }',
  endings: ['mismatch'],
  async run({ target }, context) {
    if (target === undefined) throw new CliError('usage', 'The server is missing.');
    const { output } = context;
    const { examine } = await import('../../doctor/examine.ts');
    const { patient, findings: before } = await admit(target, context);
    const tell = (finding: Finding): void => {
      if (!output.isJson && finding.status !== 'skipped')
        output.item(finding, () => findingText(finding, output.colours));
    };
    before.forEach(tell);
    const findings = patient === undefined ? before : [...before, ...(await examine(patient, tell))];
    context.signal.throwIfAborted();
    const ok = findings.every(({ status }) => status !== 'bad');
    output.result({ server: patient?.entry.name ?? '', ok, findings }, () => (ok ? 'Nothing bad was found.' : ''));
    return ok ? 'ok' : 'mismatch';
  },
});

/** Finds the server and fills in its values. A fault there is the first finding. */
async function admit(
  target: TargetWords,
  { home, io, output, reaching, signal }: CommandContext,
): Promise<{ readonly patient?: Patient; readonly findings: readonly Finding[] }> {
  const { findTarget } = await import('../../target/find-target.ts');
  const { resolveFound } = await import('../../target/resolve-target.ts');
  const { bad, good } = await import('../../doctor/finding.ts');
  const place = { home, cwd: io.cwd, env: io.env, warn: (text: string) => output.note(text) };
  const found = await findTarget(target, reaching, place);
  try {
    const { entry, reach } = await resolveFound(found, place);
    const patient = { entry, reach, home, env: io.env, cwd: io.cwd, signal };
    return { patient, findings: [good('configuration', `The server "${entry.name}" is known.`)] };
  } catch (error) {
    const { name, message } = asError(error);
    const remedy =
      name === 'UntrustedConfigError'
        ? 'crosspoint trust grant FILE trusts the file, after it has shown what it would start.'
        : 'Give the value that is missing: in the environment, or with crosspoint servers edit.';
    return { findings: [bad('configuration', message, remedy)] };
  }
}

function findingText({ step, status, says, remedy }: Finding, { green, yellow, red, dim }: Colours): string {
  const mark = status === 'good' ? green('ok  ') : status === 'warning' ? yellow('warn') : red('bad ');
  const rest = remedy === undefined ? '' : `\n     ${dim('remedy:')} ${remedy}`;
  return `${mark} ${step}: ${says}${rest}`;
}
