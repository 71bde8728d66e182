export { withOAuth } from '../../auth/index.ts';
export {
  applyMiddlewares,
  createMiddleware,
  withLogging,
  type LoggingOptions,
  type FetchMiddleware as Middleware,
  type RequestLogger,
} from '../../client/index.ts';
