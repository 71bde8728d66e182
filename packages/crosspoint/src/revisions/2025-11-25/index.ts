import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Revision } from '../revision.ts';
import { writeAsk } from './asks.ts';
import { writeServerCapabilities } from './capabilities.ts';
import { errors } from './errors.ts';
import { methods } from './methods.ts';
import { writeNotification } from './notifications.ts';
import { readRequest } from './requests.ts';
import { writeResult } from './results.ts';

export const revision20251125: Revision = {
  id: '2025-11-25',
  family: 'handshake',
  methods,
  batches: false,
  unreadableId: undefined,
  argumentErrors: 'result',
  structuredContent: 'objects',
  readRequest,
  writeResult,
  writeNotification,
  writeAsk,
  writeImplementation: (info) => info as object as JsonObject,
  writeServerCapabilities,
  ...errors,
};
