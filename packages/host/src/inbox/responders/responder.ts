import type { AnswerTo, InboxItem, QuestionKind } from '../item.ts';

/** Answers a question in place of a person. `undefined` leaves it to the next responder, and in the end to people. */
export type Responder = (
  item: InboxItem,
) => AnswerTo<QuestionKind> | undefined | Promise<AnswerTo<QuestionKind> | undefined>;
