/** Whether an Accept header takes a media type, also through `*`. An absent header takes everything. */
export function accepts(header: string | undefined, type: string): boolean {
  if (header === undefined) return true;
  const [main] = type.split('/');
  return header.split(',').some((item) => {
    const range = item.split(';', 1)[0]?.trim().toLowerCase();
    return range === type || range === '*/*' || range === `${main}/*`;
  });
}

/** Whether a Content-Type header says JSON, whatever its parameters. */
export function isJson(header: string | undefined): boolean {
  return header?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}
