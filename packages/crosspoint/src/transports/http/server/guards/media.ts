import { remembered } from './remembered.ts';

/** Whether an `Accept` header allows both forms of an answer to a POST. */
export const acceptsAnswer: (header: string | undefined) => boolean = /* @__PURE__ */ remembered(
  (header) => accepts(header, 'application/json') && accepts(header, 'text/event-stream'),
);

/** Whether an `Accept` header allows a media type, also through `*`. An absent header allows all. */
export function accepts(header: string | undefined, type: string): boolean {
  if (header === undefined) return true;
  const [main] = type.split('/');
  return header.split(',').some((item) => {
    const range = item.split(';', 1)[0]?.trim().toLowerCase();
    return range === type || range === '*/*' || range === `${main}/*`;
  });
}

/** Whether a `Content-Type` header means JSON in UTF-8, the default charset of JSON. */
export const isJson: (header: string | undefined) => boolean = /* @__PURE__ */ remembered((header) => {
  const [type, ...parameters] = (header ?? '').split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice(8)
    .replaceAll('"', '');
  return type === 'application/json' && (charset === undefined || charset === 'utf-8' || charset === 'utf8');
});
