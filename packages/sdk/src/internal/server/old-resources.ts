import type {
  ReadResourceCallback,
  ReadResourceTemplateCallback,
  RegisteredResource,
  RegisteredResourceTemplate,
  ResourceMetadata,
} from 'crosspoint/server';

export type OldResource = RegisteredResource & {
  readonly metadata?: ResourceMetadata;
  readonly readCallback: ReadResourceCallback;
};
export type OldTemplate = RegisteredResourceTemplate & {
  readonly metadata?: ResourceMetadata;
  readonly readCallback: ReadResourceTemplateCallback;
};

/** Gives the handle of a resource the members of v1 that say what it was registered with. */
export function asOldResource<T extends OldResource | OldTemplate>(
  handle: Omit<T, 'metadata' | 'readCallback'>,
  metadata: ResourceMetadata,
  readCallback: T['readCallback'],
): T {
  let [details, read] = [metadata, readCallback];
  const changed = handle as T;
  const update: (changes: object) => void = changed.update.bind(changed);
  changed.update = (changes: Parameters<T['update']>[0]): void => {
    details = changes.metadata ?? details;
    read = changes.callback ?? read;
    update(changes);
  };
  return Object.defineProperties(changed, {
    metadata: { get: () => details, enumerable: true },
    readCallback: { get: () => read, enumerable: true },
  });
}
