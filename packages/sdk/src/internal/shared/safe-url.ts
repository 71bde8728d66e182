import * as z from 'zod/v4';

const SCRIPT_SCHEMES: ReadonlySet<string> = new Set(['javascript:', 'data:', 'vbscript:']);

/** An address that executes no script when opened. */
export const SafeUrlSchema: z.ZodURL = z
  .url()
  .refine((value) => URL.canParse(value) && !SCRIPT_SCHEMES.has(new URL(value).protocol), {
    error: 'URL cannot use javascript:, data:, or vbscript: scheme',
  });
/** Such an address or none; an empty string counts as none. */
export const OptionalSafeUrlSchema: z.ZodOptional<z.ZodType<string>> = z
  .union([SafeUrlSchema, z.literal('')])
  .transform((value) => (value === '' ? undefined : value) as string)
  .optional();
