/** Type guards for decoded messages. */
import { TaskAugmentedRequestParamsSchema, type TaskAugmentedRequestParams } from './base.ts';
import {
  InitializeRequestSchema,
  InitializedNotificationSchema,
  type InitializeRequest,
  type InitializedNotification,
} from './lifecycle.ts';

export const isInitializeRequest = (value: unknown): value is InitializeRequest =>
  InitializeRequestSchema.safeParse(value).success;
export const isInitializedNotification = (value: unknown): value is InitializedNotification =>
  InitializedNotificationSchema.safeParse(value).success;
export const isTaskAugmentedRequestParams = (value: unknown): value is TaskAugmentedRequestParams =>
  TaskAugmentedRequestParamsSchema.safeParse(value).success;
