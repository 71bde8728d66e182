// The probe as a worker: /probe?url=… runs it; anything else is the server of the example.
import worker from '../examples/runtimes/worker.js';
import { probe } from './anywhere.mjs';

export default {
  async fetch(request, env, context) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== '/probe') return worker.fetch(request, env, context);
    return Response.json(await probe(searchParams.get('url')));
  },
};
