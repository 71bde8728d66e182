/** Starts projects with Crosspoint: the command `create-crosspoint`, and the function behind it for other commands. */
export { CreateError } from './create-error.ts';
export { createProject, type CreateProjectOptions, type CreatedProject } from './create-project.ts';
export type { Decided, Given, Kind, Language, Transport } from './choices.ts';
export { projectName } from './project-name.ts';
export { askForRest, type Terminal } from './questions.ts';
export { run } from './run.ts';
