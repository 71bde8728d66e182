import type { FormatShape } from './shape.ts';

/** `.mcp.json`, `managed-mcp.json`, and `~/.claude.json`, which also holds the servers of single folders. */
export const claudeCodeShape: FormatShape = {
  id: 'claude-code',
  title: 'Claude Code',
  key: 'mcpServers',
  allowsComments: false,
  stdio: { fields: ['args', 'env'], allowsNull: false, writesType: true },
  remote: {
    types: { http: 'http', 'streamable-http': 'http', sse: 'sse' },
    withoutType: 'error',
    oauth: {
      key: 'oauth',
      names: {
        clientId: 'clientId',
        callbackPort: 'callbackPort',
        scopes: 'scopes',
        authServerMetadataUrl: 'authServerMetadataUrl',
      },
      hasScopesAsText: true,
    },
  },
  names: { timeoutMs: 'timeout', alwaysLoad: 'alwaysLoad' },
  notFollowed: [
    {
      key: 'headersHelper',
      why: 'is a program that makes headers, and is not run here: give the headers themselves.',
      matters: () => true,
    },
  ],
  restIsState: true,
};
