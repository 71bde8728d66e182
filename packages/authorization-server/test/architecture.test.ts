import { checkPackage } from '../../crosspoint/test/architecture/package-rules.ts';

checkPackage('@crosspoint/authorization-server', {
  http: { values: [] },
  clients: { values: ['http', 'issuing'] },
  issuing: { values: ['clients', 'http', 'login'] },
  login: { values: ['clients', 'http', 'issuing'] },
  upstream: { values: ['clients', 'http', 'issuing', 'login'] },
  '': { values: ['clients', 'http', 'issuing', 'login', 'upstream'] },
});
