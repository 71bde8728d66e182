import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../packages.mjs';
import { SERVERS } from '../peers/servers.mjs';
import { outcomeOf } from '../search/outcome.mjs';
import { SEARCHED } from '../search/published-tools.mjs';

const read = (file) => JSON.parse(readFileSync(join(ROOT, 'scripts', 'search', file), 'utf8'));
const questions = read('questions.json');
const heldOut = read('held-out.json');

describe('the questions of the search', () => {
  it('are fifty, each once, about tools of at least fifteen published servers', () => {
    expect(questions).toHaveLength(50);
    expect(new Set(questions.map(({ question }) => question)).size).toBe(50);
    const servers = new Set(questions.flatMap(({ tools }) => tools.map((tool) => tool.split('/')[0])));
    expect(servers.size).toBeGreaterThanOrEqual(15);
    for (const server of servers) expect(Object.keys(SEARCHED)).toContain(server);
    for (const { question } of heldOut) expect(questions.map((one) => one.question)).not.toContain(question);
    for (const name of Object.values(SEARCHED)) expect(SERVERS.map((one) => one.name)).toContain(name);
  });
});

describe('the outcome of the search', () => {
  const answers = (first, third, missed) => [
    ...Array.from({ length: first }, () => ({ question: 'a', tools: ['s/a', 's/b'], found: ['s/b'] })),
    ...Array.from({ length: third }, () => ({ question: 'b', tools: ['s/a'], found: ['s/x', 's/y', 's/a'] })),
    ...Array.from({ length: missed }, () => ({ question: 'c', tools: ['s/a'], found: [] })),
  ];

  it('is good from 75 % first and 90 % among the first three on', () => {
    expect(outcomeOf(answers(15, 3, 2)).isGood).toBe(true);
    expect(outcomeOf(answers(14, 4, 2)).isGood).toBe(false);
    expect(outcomeOf(answers(15, 2, 3)).isGood).toBe(false);
  });

  it('names what was found in place of the tool', () => {
    expect(outcomeOf(answers(2, 1, 1)).lines).toEqual([
      'place 3: b\n  wants s/a\n  found s/x, s/y, s/a',
      'missed: c\n  wants s/a\n  found nothing',
      'first: 2 of 4 (50 %)',
      'among the first three: 3 of 4 (75 %)',
    ]);
  });
});
