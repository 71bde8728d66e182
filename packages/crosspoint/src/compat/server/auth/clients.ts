export type { OAuthRegisteredClientsStore } from '../../../auth/server/index.ts';
