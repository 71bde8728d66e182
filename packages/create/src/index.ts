/** Starts projects with Crosspoint: the command `create-crosspoint`, and the function behind it for other commands. */
export { CreateError } from './create-error.ts';
export { createProject, type CreateProjectOptions, type CreatedProject } from './create-project.ts';
export { run } from './run.ts';
