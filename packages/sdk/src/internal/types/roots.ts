/**
 * Roots: folders of the client that a server may know about. Deprecated by SEP-2577; the earliest revision without roots is the first on or
 * after 2027-07-28.
 */
import * as z from 'zod/v4';
import {
  BaseRequestParamsSchema,
  NotificationsParamsSchema,
  ResultSchema,
  message,
  metaSchema,
  type BareOf,
  type NotificationParams,
  type RequestParams,
  type Result,
} from './base.ts';
import type { AnyObject, LooseOf, ObjectOf } from './schema-of.ts';

/** @deprecated by SEP-2577; the earliest revision without roots is the first on or after 2027-07-28. */
export type Root = { uri: string; name?: string | undefined; _meta?: AnyObject | undefined };
/** @deprecated by SEP-2577; the earliest revision without roots is the first on or after 2027-07-28. */
export type ListRootsRequest = { method: 'roots/list'; params?: RequestParams | undefined };
/** @deprecated by SEP-2577; the earliest revision without roots is the first on or after 2027-07-28. */
export type ListRootsResult = Result & { roots: Root[] };
/** @deprecated by SEP-2577; the earliest revision without roots is the first on or after 2027-07-28. */
export type RootsListChangedNotification = {
  method: 'notifications/roots/list_changed';
  params?: NotificationParams | undefined;
};

/** @deprecated by SEP-2577; the earliest revision without roots is the first on or after 2027-07-28. */
export const RootSchema: ObjectOf<Root> = z.object({
  uri: z.string().startsWith('file://'),
  name: z.string().optional(),
  _meta: metaSchema.optional(),
});
/** @deprecated by SEP-2577; the earliest revision without roots is the first on or after 2027-07-28. */
export const ListRootsRequestSchema: BareOf<'roots/list'> = message('roots/list', BaseRequestParamsSchema.optional());
/** @deprecated by SEP-2577; the earliest revision without roots is the first on or after 2027-07-28. */
export const ListRootsResultSchema: LooseOf<ListRootsResult> = ResultSchema.extend({ roots: z.array(RootSchema) });
/** @deprecated by SEP-2577; the earliest revision without roots is the first on or after 2027-07-28. */
export const RootsListChangedNotificationSchema: BareOf<'notifications/roots/list_changed'> = message(
  'notifications/roots/list_changed',
  NotificationsParamsSchema.optional(),
);
