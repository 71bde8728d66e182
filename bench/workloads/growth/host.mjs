// How listing and calling through a host grow with its tools: a call should cost the same, and listing the same for each tool.
import { costOf } from '../../measure/cost.mjs';
import { startSubject } from '../../measure/processes.mjs';
import { curvesBy } from './grid.mjs';

const SIZES = [10, 100, 1000, 10_000];
const CALLS = 2000;
const SEARCHES = 200;
/** Tools that a sample of listing reads in all. */
const LISTED = 40_000;
/** A host waits a moment for further changes before it reads a list. */
const MOST_LISTS = 8;

const variants = [1, 20].flatMap((servers) =>
  SIZES.filter((tools) => tools >= servers).map((tools) => {
    const subject = `host of ${servers} server${servers === 1 ? '' : 's'}`;
    const label = (count) => `${subject}, ${count.toLocaleString('en')}`;
    const [least] = SIZES.filter((count) => count >= servers);
    return { label: label(tools), subject, x: tools, servers, reference: label(least) };
  }),
);

const HOSTS = [...new Set(variants.map(({ subject }) => subject))];

const byTools = (title, growth) => ({
  ...curvesBy('tools', [{ metric: 'cpu', title, unit: 'µs CPU', growth }], HOSTS),
  reference: 'the fewest',
});

/** @param {(variant: object) => { command: string, argument: object, units: number }} planOf */
const sampled =
  (planOf, part = 'host') =>
  async (variant) => {
    const host = await startSubject('crosspoint', part, { servers: variant.servers, tools: variant.x });
    const { command, argument, units } = planOf(variant);
    try {
      await host.call(command, argument);
      const cost = await costOf([host], () => host.call(command, argument));
      return { cpu: cost.cpu[0] / units, foreign: cost.foreign, errors: 0 };
    } finally {
      await host.stop();
    }
  };

export const growthHostCalls = {
  id: 'gha',
  title: 'growth: a call through a host with 10 to 10,000 tools',
  note: 'Host, client and servers in one process; a policy with two rules, and the audit log in memory. Ratios are to the least number of tools.',
  ...byTools('a call', 'flat'),
  sample: sampled(() => ({ command: 'call', argument: { calls: CALLS }, units: CALLS })),
  variants,
};

export const growthHostLists = {
  id: 'ghb',
  title: 'growth: the tools of a host after a change, 10 to 10,000 of them',
  note: 'Every server tells of a change and is listed again; the tools are compared with those first seen, exported in two formats, and their tokens counted. Servers in the same process. µs for each tool: flat is proportional.',
  ...byTools('a tool of the list', 'flat'),
  sample: sampled(({ x }) => {
    const lists = Math.max(3, Math.min(MOST_LISTS, Math.round(LISTED / x)));
    return { command: 'list', argument: { lists }, units: lists * x };
  }),
  variants,
};

export const growthHostSearches = {
  id: 'ghc',
  title: 'growth: a search in 10 to 10,000 tools of a host',
  note: 'Questions of seven words; a policy with one rule. The index is made before. Ratios are to the least number of tools.',
  ...byTools('a search', 'linear'),
  sample: sampled(() => ({ command: 'search', argument: { searches: SEARCHES }, units: SEARCHES }), 'host-search'),
  variants,
};
