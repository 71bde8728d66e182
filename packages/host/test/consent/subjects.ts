import type { Tool } from 'crosspoint/client';
import type { CallSubject } from '../../src/consent/decision.ts';

export function toolOf(name: string, more: Partial<Tool> = {}): Tool {
  return { name, description: `${name}.`, inputSchema: { type: 'object' }, ...more };
}

export function callOf(more: Partial<CallSubject> = {}): CallSubject {
  return {
    server: 'files',
    tool: toolOf('read_file'),
    arguments: {},
    isTrusted: false,
    influencedBy: [],
    ...more,
  };
}
