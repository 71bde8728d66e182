export { Client, type ClientOptions } from '../../client/index.ts';
