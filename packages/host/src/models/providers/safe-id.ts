import { digestOf } from '../../values/digest.ts';

const SAFE = /^[a-zA-Z0-9_-]{1,40}$/;

/** The id of a tool's use as every API takes it. The same id always gives the same one, so that a use and its result stay together. */
export function safeId(id: string): string {
  return SAFE.test(id)
    ? id
    : `id_${digestOf(id)
        .replaceAll(/[^a-zA-Z0-9]/g, '')
        .slice(0, 32)}`;
}
