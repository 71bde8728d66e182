export { acquireLease, leaseHolder, type Lease, type LeaseOptions, type LeaseTimers } from './lease.ts';
export { LogFollower, type LogFollowerOptions } from './log-follower.ts';
export type { LeftBehindOptions } from './left-behind.ts';
export { memoryStore, type MemoryStoreOptions } from './memory.ts';
export { StoreUnavailableError, isStoreUnavailable } from './store-unavailable-error.ts';
export type {
  AddOptions,
  AppendOptions,
  Json,
  LogEntry,
  PutOptions,
  ReadOptions,
  Store,
  StoredRecord,
} from './store.ts';
