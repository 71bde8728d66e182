import express, { type RequestHandler } from 'express';
import { openToPages } from '../../../internal/server/auth/endpoint.ts';
import type { OAuthMetadata, OAuthProtectedResourceMetadata } from '../../../shared/auth.ts';
import { allowedMethods } from '../middleware/allowedMethods.ts';

/** Serves a public metadata document. */
export function metadataHandler(metadata: OAuthMetadata | OAuthProtectedResourceMetadata): RequestHandler {
  const methods = ['GET', 'OPTIONS'];
  const router = express.Router();
  router.use(openToPages(methods), allowedMethods(methods));
  router.get('/', (_request, response) => void response.status(200).json(metadata));
  return router;
}
