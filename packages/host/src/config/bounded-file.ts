import { open, stat } from 'node:fs/promises';

/** A file that is no regular file, or larger than allowed. */
export class BoundedFileError extends Error {
  override readonly name = 'BoundedFileError';
}

/** The text of a regular file of at most `maxBytes`. A device or pipe is refused before it is opened, because opening it could wait for ever. */
export async function readBoundedFile(path: string, maxBytes: number): Promise<string> {
  if (!(await stat(path)).isFile()) throw new BoundedFileError('it is no regular file');
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const buffer = Buffer.alloc(Math.min(size, maxBytes) + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
      if (length === buffer.length)
        throw new BoundedFileError(`it is larger than ${maxBytes} bytes, or grew while it was read`);
    }
    return buffer.toString('utf8', 0, length);
  } finally {
    await file.close();
  }
}
