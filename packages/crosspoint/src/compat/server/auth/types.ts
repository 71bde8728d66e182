export type { AuthInfo } from '../../../index.ts';
