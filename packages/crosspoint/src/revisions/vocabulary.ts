import type { MethodInfo, Vocabulary } from './revision.ts';

type Sender = MethodInfo['sender'];
type Details = Omit<MethodInfo, 'sender' | 'kind'>;

export function request(sender: Sender, details: Details = {}): MethodInfo {
  return { sender, kind: 'request', ...details };
}

export function notification(sender: Sender, needs?: string): MethodInfo {
  return needs === undefined ? { sender, kind: 'notification' } : { sender, kind: 'notification', needs };
}

export function vocabulary(methods: Readonly<Record<string, MethodInfo>>): Vocabulary {
  return new Map(Object.entries(methods));
}

/** `words` minus `methods`. */
export function lacking(words: Vocabulary, methods: readonly string[]): Vocabulary {
  return new Map([...words].filter(([method]) => !methods.includes(method)));
}
