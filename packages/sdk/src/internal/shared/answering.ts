import type { Transport, TransportSendOptions } from '../../shared/transport.ts';
import { ErrorCode } from '../types/errors.ts';

export type ErrorObject = { code: number; message: string; data?: unknown };

/** The error of an answer. A thrown value without a number becomes an internal error with the same message. Never throws. */
export function errorObject(thrown: unknown): ErrorObject {
  try {
    const { code, message, data } = Object(thrown) as { code?: unknown; message?: string; data?: unknown };
    return {
      code: Number.isSafeInteger(code) ? (code as number) : ErrorCode.InternalError,
      message: message ?? 'Internal error',
      ...(data !== undefined && { data }),
    };
  } catch {
    return { code: ErrorCode.InternalError, message: 'Internal error' };
  }
}

/** Calls `send` at once, with exactly these arguments. A transport whose `send` throws or returns nothing is served as well. */
export async function send(
  transport: Transport,
  ...args: [message: object, options?: TransportSendOptions | undefined]
): Promise<void> {
  await transport.send(...(args as Parameters<Transport['send']>));
}
