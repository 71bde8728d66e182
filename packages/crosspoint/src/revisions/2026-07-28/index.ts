import type { JsonObject } from '../../jsonrpc/message.ts';
import { isReservedBySecondLabel } from '../meta-keys.ts';
import type { Revision } from '../revision.ts';
import { writeAsk } from './asks.ts';
import { writeClientCapabilities, writeServerCapabilities } from './capabilities.ts';
import { errors } from './errors.ts';
import { http } from './http.ts';
import { methods } from './methods.ts';
import { writeNotification } from './notifications.ts';
import { createRequestWriter, readRequest } from './requests.ts';
import { readResult, writeResult } from './results.ts';

const id = '2026-07-28';

export const revision20260728: Revision = {
  id,
  family: 'per-request',
  methods,
  batches: false,
  unreadableId: undefined,
  argumentErrors: 'result',
  structuredContent: 'any',
  http,
  isReservedMetaKey: isReservedBySecondLabel,
  readRequest,
  writeRequest: createRequestWriter(id),
  readResult,
  writeResult,
  writeNotification,
  writeAsk,
  writeImplementation: (info) => info as object as JsonObject,
  writeClientCapabilities,
  writeServerCapabilities,
  ...errors,
};
