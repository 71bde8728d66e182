export type { AuthInfo } from 'crosspoint';
