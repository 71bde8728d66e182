export {
  requireBearerAuth,
  type BearerAuthOptions as BearerAuthMiddlewareOptions,
} from '../../../../auth/server/index.ts';
