import type { FormatShape } from './shape.ts';

/** `.cursor/mcp.json` and `~/.cursor/mcp.json`: a server at an address has `url` and no `type`. */
export const cursorShape: FormatShape = {
  id: 'cursor',
  title: 'Cursor',
  key: 'mcpServers',
  allowsComments: true,
  stdio: { fields: ['args', 'env', 'envFile'], allowsNull: false, writesType: true },
  remote: {
    types: {},
    withoutType: 'http',
    oauth: {
      key: 'auth',
      names: { clientId: 'CLIENT_ID', clientSecret: 'CLIENT_SECRET', scopes: 'scopes' },
    },
  },
  names: {},
  restIsState: false,
};
