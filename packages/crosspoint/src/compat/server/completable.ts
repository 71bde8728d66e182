export { completable, isCompletable } from '../../server/index.ts';
