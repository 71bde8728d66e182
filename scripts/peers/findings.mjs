// The findings about one peer over one transport: the cells of its row.

const STEP_MS = 60_000;

/** Rejects when a step takes longer than any of them may. */
export async function bounded(promise, what, limitMs = STEP_MS) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end within ${limitMs / 1000} s`)), limitMs);
  });
  try {
    return await Promise.race([promise, late]);
  } catch (error) {
    throw Object.assign(error instanceof Error ? error : new Error(String(error)), { step: what });
  } finally {
    clearTimeout(timer);
  }
}

/** The first line of an error without what differs from run to run. */
export const shortened = (error) =>
  String(error?.message ?? error)
    .split('\n')[0]
    .replaceAll(/(?:file:\/\/)?\/[^\s"'`:)]*\//g, '…/')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1')
    .replaceAll('|', '/')
    .slice(0, 160);

export class Findings {
  revision = '–';
  connectMs;
  worked = [];
  cannot = [];
  failed = [];

  constructor(over) {
    this.over = over;
  }

  /**
   * Does one step. It is one that the peer cannot do when the peer has no such method.
   * @param {string} name
   * @param {() => Promise<unknown>} act what it gives is for the row when it is a text
   */
  async step(name, act) {
    try {
      const words = await bounded(act(), name);
      this.worked.push(typeof words === 'string' ? words : name);
    } catch (error) {
      if (error.code === -32601) this.cannot.push(name);
      else this.failed.push(`${name}: ${shortened(error)}`);
    }
  }
}
