import { ListChangedOptionsBaseSchema, type ListChangedOptions } from '../../types.ts';
import { asError } from '../shared/contain.ts';

/** Makes the handler of a list's notification: it fetches the list and calls the program, once for changes that follow each other. */
export function listChangedHandler<T>(
  list: string,
  options: ListChangedOptions<T>,
  fetchList: () => Promise<T[]>,
): () => void {
  const read = ListChangedOptionsBaseSchema.safeParse(options);
  if (!read.success) throw new Error(`Invalid ${list} listChanged options: ${read.error.message}`);
  const { onChanged } = options;
  if (typeof onChanged !== 'function')
    throw new Error(`Invalid ${list} listChanged options: onChanged must be a function`);
  const { autoRefresh, debounceMs } = read.data;
  const refresh = async (): Promise<void> => {
    if (!autoRefresh) return onChanged(null, null);
    let items: T[];
    try {
      items = await fetchList();
    } catch (error) {
      return onChanged(asError(error), null);
    }
    onChanged(null, items);
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    if (debounceMs === 0) void refresh();
    else timer = setTimeout(() => void refresh(), debounceMs);
  };
}
