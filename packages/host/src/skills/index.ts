/** Skills (SEP-2640) of the servers of a host: listed from their entries, each file read when it is wanted. */
export { HostSkills, type HostSkill } from './host-skills.ts';
