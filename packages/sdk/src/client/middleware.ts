export { withOAuth } from 'crosspoint/auth';
export {
  applyMiddlewares,
  createMiddleware,
  withLogging,
  type LoggingOptions,
  type FetchMiddleware as Middleware,
  type RequestLogger,
} from 'crosspoint/client';
