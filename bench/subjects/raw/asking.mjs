// Three questions by hand: one message out, one in. Nothing is sealed and nothing is checked but the type of the answer.
import { asked, QUESTIONS } from '../tools.mjs';

const requestedSchema = { type: 'object', properties: { yes: { type: 'boolean' } }, required: ['yes'] };
const question = (count) => ({
  method: 'elicitation/create',
  params: { mode: 'form', message: QUESTIONS[count], requestedSchema },
});
const isYes = (answer) => answer?.action === 'accept' && answer.content.yes === true;

/** The newer family: the answer to the call is a question, and the state is how often it was asked. */
export function askInRounds({ requestState, inputResponses }) {
  const before = requestState === undefined ? 0 : Number(requestState);
  const count = isYes(inputResponses?.answer) ? before + 1 : before;
  if (count === QUESTIONS.length) return { resultType: 'complete', ...asked(count) };
  return { resultType: 'input_required', requestState: String(count), inputRequests: { answer: question(count) } };
}

/** The older family: a request to the client, and its answer, while the call waits. */
export class LiveAsker {
  #calls = new Map();
  #nextId = 1;

  /** The first question of a call. */
  begin(callId) {
    return this.#ask({ callId, count: 0 });
  }

  /** The message after an answer: the next question, or the answer to the call. */
  answered({ id, result }) {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    const count = isYes(result) ? call.count + 1 : call.count;
    if (count === QUESTIONS.length) return { jsonrpc: '2.0', id: call.callId, result: asked(count) };
    return this.#ask({ callId: call.callId, count });
  }

  #ask(call) {
    const id = this.#nextId++;
    this.#calls.set(id, call);
    return { jsonrpc: '2.0', id, ...question(call.count) };
  }
}
