import type { FormatShape } from './shape.ts';

/** `claude_desktop_config.json`: child processes alone. Servers at an address are connectors of the application. */
export const claudeDesktopShape: FormatShape = {
  id: 'claude-desktop',
  title: 'Claude Desktop',
  key: 'mcpServers',
  allowsComments: false,
  stdio: { fields: ['args', 'env'], allowsNull: false, writesType: false },
  names: {},
  restIsState: true,
};
