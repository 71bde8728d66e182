import type { CommandGroup } from './grammar/command.ts';

/** Every first word, in the order of the help. A group is loaded when it is used. */
export const GROUPS: readonly CommandGroup[] = [
  {
    name: 'connect',
    says: 'Open a connection and keep it for the next commands.',
    load: async () => [(await import('./commands/connect/connect.ts')).connect],
  },
  {
    name: 'ls',
    says: 'List the kept connections.',
    load: async () => [(await import('./commands/connect/ls.ts')).ls],
  },
  {
    name: 'show',
    says: 'Show what a server says of itself.',
    load: async () => [(await import('./commands/connect/show.ts')).show],
  },
  {
    name: 'close',
    says: 'End kept connections.',
    load: async () => [(await import('./commands/connect/close.ts')).close],
  },
  {
    name: 'tools',
    says: 'List, describe, search and call tools.',
    load: async () => (await import('./commands/tools/index.ts')).tools,
  },
  {
    name: 'resources',
    says: 'List, read and watch resources.',
    load: async () => (await import('./commands/resources/index.ts')).resources,
  },
  {
    name: 'prompts',
    says: 'List and get prompts.',
    load: async () => (await import('./commands/prompts/index.ts')).prompts,
  },
  {
    name: 'complete',
    says: 'Ask for values of an argument of a prompt or template.',
    load: async () => [(await import('./commands/complete/complete.ts')).complete],
  },
  {
    name: 'roots',
    says: 'List and change the folders that a kept server may ask for.',
    load: async () => (await import('./commands/roots/index.ts')).roots,
  },
  {
    name: 'logs',
    says: 'Follow the logs and the stderr of a server, and set the level.',
    load: async () => (await import('./commands/logs/index.ts')).logs,
  },
  {
    name: 'tasks',
    says: 'Follow, answer and cancel calls that run as tasks.',
    load: async () => (await import('./commands/tasks/index.ts')).tasks,
  },
  {
    name: 'calls',
    says: 'Go on with calls that their commands have left.',
    load: async () => (await import('./commands/calls/index.ts')).calls,
  },
  {
    name: 'requests',
    says: 'Answer the questions that wait on kept connections.',
    load: async () => (await import('./commands/requests/index.ts')).requests,
  },
  {
    name: 'respond',
    says: 'Answer questions by rules, until it is ended.',
    load: async () => [(await import('./commands/respond/respond.ts')).respond],
  },
  {
    name: 'chat',
    says: 'Talk to a model that uses the tools of servers.',
    load: async () => [(await import('./commands/chat/chat.ts')).chat],
  },
  {
    name: 'shell',
    says: 'Open a prompt at which each line is a command.',
    load: async () => [(await import('./commands/shell/shell.ts')).openShell],
  },
  {
    name: 'servers',
    says: 'Configure servers, import them from other hosts, convert and check files.',
    load: async () => (await import('./commands/servers/index.ts')).servers,
  },
  {
    name: 'trust',
    says: 'Trust configuration files of folders, after a look at them.',
    load: async () => (await import('./commands/trust/index.ts')).trust,
  },
  {
    name: 'secrets',
    says: 'Keep the secrets that configurations name.',
    load: async () => (await import('./commands/secrets/index.ts')).secrets,
  },
  {
    name: 'policy',
    says: 'Check, explain and try out the rules of what may be called.',
    load: async () => (await import('./commands/policy/index.ts')).policy,
  },
  {
    name: 'audit',
    says: 'Read, check and export the log of what was done.',
    load: async () => (await import('./commands/audit/index.ts')).audit,
  },
  {
    name: 'timeline',
    says: 'Show what led to what on kept connections.',
    load: async () => [(await import('./commands/timeline/timeline.ts')).timeline],
  },
  {
    name: 'auth',
    says: 'Log in to servers, and see how a login goes.',
    load: async () => (await import('./commands/auth/index.ts')).auth,
  },
  {
    name: 'doctor',
    says: 'Look for the cause when a server does not work.',
    load: async () => [(await import('./commands/doctor/doctor.ts')).doctor],
  },
  {
    name: 'bridge',
    says: 'Put a bridge before a server: any client to any server.',
    load: async () => [(await import('./commands/bridge/bridge.ts')).bridge],
  },
  {
    name: 'record',
    says: 'Write what a client and a server say to each other into a session file.',
    load: async () => [(await import('./commands/bridge/record.ts')).record],
  },
  {
    name: 'new',
    says: 'Write a new project: a server or a client, with a test.',
    load: async () => (await import('./commands/new/index.ts')).newProject,
  },
  {
    name: 'upgrade',
    says: 'Put the SDK of Crosspoint into a project written for the official SDK v1.',
    load: async () => [(await import('./commands/upgrade/upgrade.ts')).upgrade],
  },
  {
    name: 'gen',
    says: 'Generate types for programs that use a server.',
    load: async () => (await import('./commands/gen/index.ts')).gen,
  },
  {
    name: 'agent-help',
    says: 'Print a page for agents that use this command.',
    load: async () => [(await import('./commands/agent-help/agent-help.ts')).agentHelp],
  },
  {
    name: 'completion',
    says: 'Print a script that completes words in bash, zsh or fish.',
    load: async () => [(await import('./commands/completion/completion.ts')).completion],
  },
  {
    name: '__complete',
    says: 'Complete a command line.',
    isHidden: true,
    load: async () => [(await import('./commands/completion/complete.ts')).complete],
  },
  {
    name: 'keeper',
    says: 'Hold a connection for other commands.',
    isHidden: true,
    load: async () => [(await import('./commands/keeper/keeper.ts')).keeper],
  },
];
