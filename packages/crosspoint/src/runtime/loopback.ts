/** Whether a host name or an address means this machine; an IPv6 address may be in brackets. */
export function isLoopbackName(name: string | undefined): boolean {
  return (
    name === 'localhost' ||
    name === '[::1]' ||
    name === '::1' ||
    (name !== undefined && /^127(?:\.\d{1,3}){3}$/.test(name))
  );
}
