import { DEFAULT_MAX_REQUEST_BODY_SIZE } from 'crosspoint/server';

export { DEFAULT_MAX_REQUEST_BODY_SIZE } from 'crosspoint/server';

/** The most messages in one JSON-RPC batch. */
export const MAX_BATCH_SIZE = 100;

/** The message that goes with status 413. */
export function requestBodyTooLargeMessage(maxBytes: number): string {
  return `Payload Too Large: Request body must not exceed ${maxBytes} bytes`;
}

/** The limit that the option `maxRequestBodySize` stands for. Throws a RangeError unless it is a positive number. */
export function resolveMaxRequestBodySize(value: number | undefined): number {
  if (value === undefined) return DEFAULT_MAX_REQUEST_BODY_SIZE;
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0)
    throw new RangeError(`maxRequestBodySize must be a positive number of bytes, got ${String(value)}`);
  return value;
}

/** Reads a body as text. Reading stops as soon as more than `maxBytes` have arrived; a larger `Content-Length` is refused unread. */
export async function readRequestBody(
  request: Request,
  maxBytes: number = DEFAULT_MAX_REQUEST_BODY_SIZE,
): Promise<{ tooLarge: true } | { tooLarge: false; text: string }> {
  if (Number(request.headers.get('content-length')) > maxBytes) return { tooLarge: true };
  const reader = request.body?.getReader();
  if (reader === undefined) return { tooLarge: false, text: '' };
  const decoder = new TextDecoder();
  let text = '';
  let received = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { tooLarge: false, text: text + decoder.decode() };
      received += value.byteLength;
      if (received > maxBytes) return { tooLarge: true };
      text += decoder.decode(value, { stream: true });
    }
  } finally {
    reader.releaseLock();
  }
}
