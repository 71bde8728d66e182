import type { JsonObject } from '../../jsonrpc/message.ts';
import { isReservedBySecondLabel } from '../meta-keys.ts';
import type { Revision } from '../revision.ts';
import { writeAsk } from './asks.ts';
import { writeClientCapabilities, writeServerCapabilities } from './capabilities.ts';
import { errors } from './errors.ts';
import { http } from './http.ts';
import { methods } from './methods.ts';
import { writeNotification } from './notifications.ts';
import { readRequest, writeRequest } from './requests.ts';
import { readResult, writeResult } from './results.ts';

export const revision20251125: Revision = {
  id: '2025-11-25',
  family: 'handshake',
  methods,
  batches: false,
  unreadableId: undefined,
  argumentErrors: 'result',
  structuredContent: 'objects',
  http,
  isReservedMetaKey: isReservedBySecondLabel,
  readRequest,
  writeRequest,
  readResult,
  writeResult,
  writeNotification,
  writeAsk,
  writeImplementation: (info) => info as object as JsonObject,
  writeClientCapabilities,
  writeServerCapabilities,
  ...errors,
};
