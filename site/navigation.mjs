/**
 * The pages in reading order: the start, then the order of the specification, then the operation of a server.
 * Files are named from the root of the repository. A page that is not listed here is not part of the site; a test checks this.
 */
export const SECTIONS = [
  {
    title: 'Start',
    pages: [
      'docs/index.md',
      'docs/guide/five-minutes.md',
      'docs/guide/first-server.md',
      'docs/guide/first-client.md',
      'docs/guide/new-projects.md',
    ],
  },
  { title: 'The protocol', pages: ['docs/guide/versions.md', 'docs/guide/errors.md'] },
  {
    title: 'Patterns',
    pages: ['docs/guide/asking.md', 'docs/guide/watching.md', 'docs/guide/progress-and-cancellation.md'],
  },
  {
    title: 'Transports',
    pages: ['docs/guide/stdio.md', 'docs/http.md', 'docs/connecting.md', 'docs/runtimes.md', 'docs/peers.md'],
  },
  {
    title: 'Authorization',
    pages: ['docs/guide/authorization-server.md', 'docs/guide/authorization-client.md'],
  },
  { title: 'Client features', pages: ['docs/guide/roots.md', 'docs/guide/sampling.md'] },
  {
    title: 'Server features',
    pages: [
      'docs/guide/prompts.md',
      'docs/guide/resources.md',
      'docs/guide/tools.md',
      'docs/guide/structured-output.md',
      'docs/guide/caching.md',
      'docs/guide/completion.md',
      'docs/guide/logging.md',
      'docs/guide/pagination.md',
    ],
  },
  {
    title: 'Extensions',
    pages: ['docs/guide/extensions.md', 'docs/guide/tasks.md', 'docs/guide/skills.md', 'docs/guide/apps.md'],
  },
  {
    title: 'Hosts',
    pages: [
      'docs/guide/host.md',
      'docs/guide/host-configuration.md',
      'docs/guide/host-bundles-and-secrets.md',
      'docs/guide/host-policies.md',
      'docs/guide/host-approvals.md',
      'docs/guide/host-inbox.md',
      'docs/guide/host-agent.md',
      'docs/guide/host-search.md',
      'docs/guide/host-sampling.md',
      'docs/guide/host-isolation.md',
      'docs/guide/host-timeline.md',
    ],
  },
  {
    title: 'Bridges',
    pages: [
      'docs/guide/bridge-old-server.md',
      'docs/guide/bridge-new-server.md',
      'docs/guide/bridge-carries.md',
      'docs/guide/bridge-deploying.md',
    ],
  },
  { title: 'Command line', pages: ['docs/guide/cli-recipes.md', 'docs/cli.md'] },
  {
    title: 'Command line',
    pages: [
      'docs/guide/cli-offers.md',
      'docs/guide/cli-servers.md',
      'docs/guide/cli-questions.md',
      'docs/guide/cli-timeline.md',
    ],
  },
  {
    title: 'Building',
    pages: [
      'docs/guide/types.md',
      'docs/guide/testing.md',
      'docs/guide/middleware.md',
      'docs/guide/telemetry.md',
      'docs/guide/composition.md',
      'docs/guide/relaying.md',
      'docs/guide/recording.md',
      'docs/guide/openapi.md',
      'docs/guide/state-without-sessions.md',
    ],
  },
  {
    title: 'Running',
    pages: [
      'docs/guide/deploying.md',
      'docs/stores.md',
      'docs/guide/limits-and-retries.md',
      'docs/guide/security.md',
      'docs/security/threat-model.md',
      'docs/bad-input.md',
      'docs/performance.md',
      'docs/growth.md',
      'docs/endurance.md',
    ],
  },
  {
    title: 'Moving here',
    pages: [
      'docs/migration/from-v1.md',
      'docs/migration/from-v2.md',
      'docs/migration/from-0.2.md',
      'docs/migration/from-0.1.md',
    ],
  },
  { title: 'Help', pages: ['docs/troubleshooting.md', 'docs/error-messages.md'] },
  { title: 'Reference', reference: true, pages: [] },
  { title: 'Decisions', folder: 'docs/decisions', pages: [] },
  {
    title: 'Project',
    pages: ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/mutation.md', 'SECURITY.md', 'CHANGELOG.md'],
  },
];

/** The address of a file of the repository on the site. */
export function addressOf(file) {
  return file
    .replace(/^docs\//, '')
    .replace(/^([A-Z]+)\.md$/, (_all, name) => `project/${name.toLowerCase()}.md`)
    .replace(/\.md$/, '.html');
}
