export type { OAuthRegisteredClientsStore } from 'crosspoint/auth/server';
