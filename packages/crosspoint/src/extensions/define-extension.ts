import { isValidExtensionId } from '../protocol/meta.ts';
import { ServerExtensions } from '../server/server-extension.ts';
import { SERVED, type Extension } from './extension.ts';

/** Checks an extension and returns it, with the code that servers need for it. Throws `TypeError`, so that a mistake is found where the extension is written. */
export function defineExtension(extension: Extension): Extension {
  const { id, methods = {}, results = {}, filters = {} } = extension;
  if (!isValidExtensionId(id)) throw new TypeError(`"${id}" is no extension id: it must look like "com.example/name".`);
  for (const [type, answers] of Object.entries(results)) {
    if (type === 'complete' || type === 'input_required' || answers.length === 0)
      throw new TypeError(`The result type "${type}" of ${id} must be its own, and answer at least one method.`);
  }
  for (const [member, { notification }] of Object.entries(filters)) {
    if (methods[notification]?.kind !== 'notification')
      throw new TypeError(
        `The filter ${member} of ${id} names ${notification}, which ${id} does not declare as a notification.`,
      );
  }
  const made = { ...extension };
  Object.defineProperty(made, SERVED, { value: ServerExtensions });
  return Object.freeze(made);
}
