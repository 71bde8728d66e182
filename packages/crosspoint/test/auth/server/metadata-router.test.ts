import { expect, test } from 'vitest';
import { mcpAuthMetadataRouter } from '../../../src/auth/server/index.ts';

test('a server that relies on another for its logins says where that is', async () => {
  const router = mcpAuthMetadataRouter({
    oauthMetadata: {
      issuer: 'https://as.example.com',
      authorization_endpoint: 'https://as.example.com/go',
      token_endpoint: 'https://as.example.com/t',
    },
    resourceServerUrl: 'https://mcp.example.com/mcp',
  });
  const read = async (path: string): Promise<unknown> =>
    (await router.fetch(new Request(`https://mcp.example.com${path}`))).json();
  expect(await read('/.well-known/oauth-protected-resource/mcp')).toMatchObject({
    authorization_servers: ['https://as.example.com'],
  });
  expect(await read('/.well-known/oauth-authorization-server')).toMatchObject({
    token_endpoint: 'https://as.example.com/t',
  });
  expect(router.serves('/token')).toBe(false);
});
