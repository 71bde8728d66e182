import { checkTypes, manyTools } from '../measure/type-check.mjs';
import { atMost } from './targets.mjs';

const COUNT = 500;

/** A signature that infers the schemas and does nothing else: the cost of the compiler and zod alone. */
const NO_LIBRARY = `declare class McpServer {
  constructor(info: { name: string; version: string });
  registerTool<In, Out>(
    name: string,
    config: { description?: string; inputSchema?: In; outputSchema?: Out },
    callback: (args: { a: number; b: number }) => unknown,
  ): void;
}`;

const HEADS = {
  raw: NO_LIBRARY,
  crosspoint: "import { McpServer } from 'crosspoint/server';",
  'official-v2': "import { McpServer } from '@modelcontextprotocol/server';",
};

const variant = (subject) => ({ label: subject, subject });
const shaped = (subject) => ({ label: `${subject}, shapes`, subject, isShape: true, reference: 'official-v2, shapes' });
const halfOf = (label, name) => [atMost(label, 'checkMs', 0.5, name), atMost(label, 'memoryMb', 0.5, name)];

export const types = {
  id: 'types',
  isOfFiles: true,
  title: `types: checking a file with ${COUNT} registerTool calls`,
  note: 'Schemas of zod 4 for input and output: z.object({ … }), and shapes, { a: z.number() }, which official-v2 takes too but calls deprecated. raw infers both schemas and does nothing with them: what the compiler and zod take by themselves.',
  metrics: [
    { key: 'checkMs', title: 'check ms', better: 'less' },
    { key: 'memoryMb', title: 'MB', better: 'less' },
    { key: 'instantiations', title: 'instantiations', better: 'less' },
  ],
  reference: 'official-v2',
  sample: ({ label, subject, isShape }) =>
    checkTypes(label.replaceAll(/\W+/g, '-'), manyTools(HEADS[subject], COUNT, isShape)),
  variants: [
    variant('raw'),
    variant('crosspoint'),
    variant('official-v2'),
    shaped('raw'),
    shaped('crosspoint'),
    shaped('official-v2'),
  ],
  targets: [...halfOf('crosspoint', 'official-v2'), ...halfOf('crosspoint, shapes', 'official-v2, shapes')],
};
