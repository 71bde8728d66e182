/** A server behind a bridge that is a program talking over stdin and stdout. Needs Node. */
export { children, type ChildProgram, type Children, type ChildrenOptions } from './children.ts';
