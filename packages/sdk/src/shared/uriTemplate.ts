/** `shared/uriTemplate.js` of v1. The same class as in `crosspoint/server`, which implements all of RFC 6570. */
export { UriTemplate, type Variables } from 'crosspoint/server';
