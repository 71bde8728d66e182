import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Revision } from '../revision.ts';
import { writeAsk } from './asks.ts';
import { writeServerCapabilities } from './capabilities.ts';
import { errors } from './errors.ts';
import { methods } from './methods.ts';
import { writeNotification } from './notifications.ts';
import { readRequest } from './requests.ts';
import { writeResult } from './results.ts';

export const revision20260728: Revision = {
  id: '2026-07-28',
  family: 'per-request',
  methods,
  batches: false,
  unreadableId: undefined,
  argumentErrors: 'result',
  structuredContent: 'any',
  readRequest,
  writeResult,
  writeNotification,
  writeAsk,
  writeImplementation: (info) => info as object as JsonObject,
  writeServerCapabilities,
  ...errors,
};
