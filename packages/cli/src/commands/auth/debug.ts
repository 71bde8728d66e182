import type { AuthExplanation } from 'crosspoint/auth';
import { CliError } from '../../errors/cli-error.ts';
import { defineCommand, type Command } from '../../grammar/command.ts';
import type { Colours } from '../../output/colours.ts';

export const debug: Command = defineCommand({
  path: ['auth', 'debug'],
  says: 'Go through the steps of a login one by one, without logging in.',
  about:
    'Each step says what was requested, what came back, what that means, and which specification has the rule. Exit code 7 when a login could not begin.',
  target: 'needed',
  examples: [
    { line: 'crosspoint auth debug https://example.com/mcp', says: 'Discovery, metadata, registration and scopes.' },
  ],
  prints:
    '{ server, ok, steps: [{ step, request?, answer?, verdict: "good" | "missing" | "bad" | "note", explanation, rule? }] }',
  endings: ['mismatch'],
  async run({ target }, context) {
    if (target === undefined) throw new CliError('usage', 'The server is missing.');
    const { output, home } = context;
    const { addressOf } = await import('./address.ts');
    const { keptLogin } = await import('../../place/logins.ts');
    const { explainAuth } = await import('crosspoint/auth');
    const { visibleLine } = await import('@crosspoint/host');
    const { name: server, reach } = await addressOf(target, context);
    const { ok, steps } = await explainAuth(reach.url, { provider: keptLogin(server, reach, home) });
    output.result({ server, ok, steps }, () =>
      steps.map((step) => stepText(step, output.colours, visibleLine)).join('\n'),
    );
    return ok ? 'ok' : 'mismatch';
  },
});

type Step = AuthExplanation['steps'][number];

function stepText(
  { step, request, answer, verdict, explanation, rule }: Step,
  colours: Colours,
  visible: (text: string) => string,
): string {
  const { green, yellow, red, dim } = colours;
  const mark = { good: green('ok  '), note: dim('note'), missing: yellow('none'), bad: red('bad ') }[verdict];
  const exchange = request === undefined ? [] : [`     ${dim(visible(`${request} → ${answer ?? 'no answer'}`))}`];
  return [
    `${mark} ${step}: ${visible(explanation)}`,
    ...exchange,
    ...(rule === undefined ? [] : [`     ${dim(rule)}`]),
  ].join('\n');
}
