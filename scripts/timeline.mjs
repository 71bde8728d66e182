// Makes a run of an agent over three servers, and draws its timeline into docs/pictures/timeline.svg.
import { mkdirSync, writeFileSync } from 'node:fs';
import { timelineText } from '@crosspoint/host/timeline';
import { agentRun } from './timeline/agent-run.mjs';
import { drawTrace } from './timeline/draw.mjs';

const FOLDER = new URL('../docs/pictures/', import.meta.url);

const { timeline } = await agentRun();
const [run] = timeline.query({ kinds: ['run'] });
console.log(timelineText([run]));
mkdirSync(FOLDER, { recursive: true });
writeFileSync(new URL('timeline.svg', FOLDER), drawTrace(run));
console.error('Written: docs/pictures/timeline.svg');
