/** Servers and other sources as parts of a server. A server that mounts nothing loads nothing of it. */
export { mount } from './composition/mount.ts';
