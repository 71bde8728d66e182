import type { AnswerTo, QuestionKind } from './item.ts';

/**
 * The answer that does least, for questions that nobody answers: a denial, or for what a server or a configuration asks a person to fill in or
 * open, a cancellation. `why` reaches the model where the kind has a place for it.
 */
export function carefulAnswer<K extends QuestionKind>(kind: K, why: string): AnswerTo<K>;
export function carefulAnswer(kind: QuestionKind, why: string): AnswerTo<QuestionKind> {
  switch (kind) {
    case 'form':
    case 'url':
    case 'input':
      return { action: 'cancel' };
    case 'start':
    case 'roots':
    case 'login':
      return { action: 'deny' };
    case 'call':
    case 'result':
    case 'sampling':
    case 'sampled':
      return { action: 'deny', message: why };
  }
}

/** The answer with which a person refuses: `decline` where the kind tells it from a cancellation. */
export function refusal(kind: QuestionKind): AnswerTo<QuestionKind> {
  if (kind === 'form' || kind === 'url') return { action: 'decline' };
  return kind === 'input' ? { action: 'cancel' } : { action: 'deny' };
}
