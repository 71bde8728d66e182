export { fromOpenApi } from './from-open-api.ts';
export { OpenApiError, type OpenApiOptions } from './options.ts';
