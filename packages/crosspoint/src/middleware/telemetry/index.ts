export { telemetry, type TelemetryOptions } from './telemetry.ts';
