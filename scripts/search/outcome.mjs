// Judges what a search found, and counts the tokens that it saves.

const FOUND = 5;
const LEAST_FIRST = 0.75;
const LEAST_AMONG_THREE = 0.9;

/**
 * @typedef {{ question: string, tools: string[] }} Question with the tools that answer it, as `server/tool`
 * @typedef {Question & { found: string[] }} Answer with the tools that were found, best first
 */

/**
 * @param {import('@crosspoint/host/search').ToolSearch} search
 * @param {readonly Question[]} questions
 * @returns {Promise<Answer[]>}
 */
export async function answersOf(search, questions) {
  const answers = [];
  for (const { question, tools } of questions) {
    const found = await search.search(question, { limit: FOUND });
    answers.push({ question, tools, found: found.map(({ tool }) => `${tool.server}/${tool.tool.name}`) });
  }
  return answers;
}

/** How many questions found their tool, and a line for each whose tool is not the first. @param {readonly Answer[]} answers */
export function outcomeOf(answers) {
  const placed = answers.map((answer) => ({
    ...answer,
    at: answer.found.findIndex((one) => answer.tools.includes(one)),
  }));
  const first = placed.filter(({ at }) => at === 0).length;
  const amongThree = placed.filter(({ at }) => at >= 0 && at < 3).length;
  const part = (count) => `${count} of ${answers.length} (${Math.round((100 * count) / answers.length)} %)`;
  const misses = placed.flatMap(({ question, tools, found, at }) =>
    at === 0
      ? []
      : [
          `${at < 0 ? 'missed' : `place ${at + 1}`}: ${question}\n  wants ${tools.join(' or ')}\n  found ${found.join(', ') || 'nothing'}`,
        ],
  );
  return {
    lines: [...misses, `first: ${part(first)}`, `among the first three: ${part(amongThree)}`],
    isGood: first >= LEAST_FIRST * answers.length && amongThree >= LEAST_AMONG_THREE * answers.length,
  };
}

const counted = (number) => Math.round(number).toLocaleString('en');

/** The tokens that definitions take, with and without the search, as a table in Markdown. */
export async function tokenTable(host, newView, questions) {
  const fresh = newView();
  const begin = await fresh.report();
  const once = [];
  for (const { question } of questions) {
    const view = newView();
    await view.answer({ query: question });
    once.push({ tools: (await view.tools()).length, ...(await view.report()) });
  }
  const mean = (of) => once.reduce((sum, one) => sum + of(one), 0) / once.length;
  const long = newView();
  for (const { question } of questions.slice(0, 10)) await long.answer({ query: question });
  const rows = [
    ['every tool, without search', host.catalogue.tools().length, begin.allTokens],
    ['at the beginning, with search', (await fresh.tools()).length, begin.tokens],
    ['after one question, on average', mean(({ tools }) => tools), mean(({ tokens }) => tokens)],
    ['after the first ten questions in one conversation', (await long.tools()).length, (await long.report()).tokens],
  ];
  const lines = rows.map(([what, tools, tokens]) => `| ${what} | ${counted(tools)} | ${counted(tokens)} |`);
  return ['| What the model sees | Tools | Tokens |', '|---|---|---|', ...lines].join('\n');
}
