/** `shared/uriTemplate.js` of the older SDK. The same class as that of `crosspoint/server`, which knows all of RFC 6570. */
export { UriTemplate, type Variables } from 'crosspoint/server';
