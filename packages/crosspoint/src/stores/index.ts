export { storeServing } from '../server/stored/store-serving.ts';
export { acquireLease, type Lease } from './lease.ts';
export { LogFollower } from './log-follower.ts';
export { memoryStore } from './memory.ts';
export { StoreUnavailableError } from './store-unavailable-error.ts';
export type {
  AddOptions,
  AppendOptions,
  Json,
  LogEntry,
  PutOptions,
  ReadOptions,
  Store,
  StoredRecord,
  StoreServing,
} from './store.ts';
