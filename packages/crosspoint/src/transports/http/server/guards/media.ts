import { remembered } from './remembered.ts';

/** Whether an Accept header takes both forms in which a POST may be answered. */
export const acceptsAnswer: (header: string | undefined) => boolean = /* @__PURE__ */ remembered(
  (header) => accepts(header, 'application/json') && accepts(header, 'text/event-stream'),
);

/** Whether an Accept header takes a media type, also through `*`. An absent header takes everything. */
export function accepts(header: string | undefined, type: string): boolean {
  if (header === undefined) return true;
  const [main] = type.split('/');
  return header.split(',').some((item) => {
    const range = item.split(';', 1)[0]?.trim().toLowerCase();
    return range === type || range === '*/*' || range === `${main}/*`;
  });
}

/** Whether a Content-Type header says JSON in UTF-8, which JSON is unless it says otherwise. */
export const isJson: (header: string | undefined) => boolean = /* @__PURE__ */ remembered((header) => {
  const [type, ...parameters] = (header ?? '').split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice(8)
    .replaceAll('"', '');
  return type === 'application/json' && (charset === undefined || charset === 'utf-8' || charset === 'utf8');
});
