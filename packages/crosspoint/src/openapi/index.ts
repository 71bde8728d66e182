export { fromOpenApi } from './from-open-api.ts';
export {
  OPEN_API_LIMITS,
  OpenApiError,
  type OpenApiLimits,
  type OpenApiOptions,
  type OperationFacts,
  type OperationFilter,
} from './options.ts';
