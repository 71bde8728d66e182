import type { Vocabulary } from '../revision.ts';
import { notification, request, vocabulary } from '../vocabulary.ts';

/** Only clients send requests in this revision: questions to the client travel in answers, so they are no methods here. */
export const methods: Vocabulary = vocabulary({
  'server/discover': request('client', { cacheable: true }),
  'tools/list': request('client', { needs: 'tools', cacheable: true }),
  'tools/call': request('client', { needs: 'tools', mayAsk: true }),
  'resources/list': request('client', { needs: 'resources', cacheable: true }),
  'resources/templates/list': request('client', { needs: 'resources', cacheable: true }),
  'resources/read': request('client', { needs: 'resources', mayAsk: true, cacheable: true }),
  'prompts/list': request('client', { needs: 'prompts', cacheable: true }),
  'prompts/get': request('client', { needs: 'prompts', mayAsk: true }),
  'completion/complete': request('client', { needs: 'completions' }),
  'subscriptions/listen': request('client'),
  'notifications/cancelled': notification('both'),
  'notifications/progress': notification('server'),
  'notifications/message': notification('server', 'logging'),
  'notifications/tools/list_changed': notification('server', 'tools.listChanged'),
  'notifications/prompts/list_changed': notification('server', 'prompts.listChanged'),
  'notifications/resources/list_changed': notification('server', 'resources.listChanged'),
  'notifications/resources/updated': notification('server', 'resources.subscribe'),
  'notifications/subscriptions/acknowledged': notification('server'),
});
