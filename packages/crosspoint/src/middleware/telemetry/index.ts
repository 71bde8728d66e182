export { telemetry, type TelemetryOptions } from './telemetry.ts';
export { w3c } from './trace-context.ts';
