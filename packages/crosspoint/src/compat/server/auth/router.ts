export {
  createOAuthMetadata,
  getOAuthProtectedResourceMetadataUrl,
  mcpAuthMetadataRouter,
  mcpAuthRouter,
  type AuthMetadataOptions,
  type AuthRouterOptions,
} from '../../../auth/server/index.ts';
