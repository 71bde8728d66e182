import type { Ask } from '../protocol/outcome.ts';
import { inField, inItems, inSequence, joinReducers, type Reducer, type ReduceByMethod } from './reducer.ts';
import type { Revision } from './revision.ts';
import { lacking } from './vocabulary.ts';

/** The features that a revision lacks, compared with the next newer one. */
export interface Lacks {
  readonly methods?: readonly string[];
  /** On every listed tool, resource, resource template and prompt. */
  readonly listed?: Reducer;
  /** On every listed tool. */
  readonly tool?: Reducer;
  /** On every content block of a result. */
  readonly content?: Reducer;
  readonly implementation?: Reducer;
  readonly serverCapabilities?: Reducer;
  readonly results?: Readonly<Record<string, Reducer>>;
  readonly notifications?: Readonly<Record<string, Reducer>>;
  readonly ask?: (ask: Ask) => Ask | undefined;
}

const asIs: Reducer = (value) => value;

/** `newer` minus what the older revision lacked: everything is written in the newer words first, then reduced. */
export function older(newer: Revision, id: string, lacks: Lacks): Revision {
  const { implementation = asIs, serverCapabilities = asIs } = lacks;
  const methods = lacking(newer.methods, lacks.methods ?? []);
  const reduceNotification = joinReducers(lacks.notifications ?? {});
  const reduceResult = resultReducers(lacks);
  return {
    ...newer,
    id,
    methods,
    writeResult: (method, outcome, server) => reduceResult(method, newer.writeResult(method, outcome, server)),
    writeNotification(method, params) {
      const written = methods.has(method) ? newer.writeNotification(method, params) : undefined;
      return written && reduceNotification(method, written);
    },
    writeAsk(ask) {
      const written = newer.writeAsk(ask);
      return written && lacks.ask ? lacks.ask(written) : written;
    },
    writeImplementation: (info) => implementation(newer.writeImplementation(info)),
    writeServerCapabilities: (capabilities) => serverCapabilities(newer.writeServerCapabilities(capabilities)),
  };
}

function resultReducers(lacks: Lacks): ReduceByMethod {
  const { listed = asIs, tool = asIs, content = asIs, implementation = asIs, serverCapabilities = asIs } = lacks;
  const callResult = inItems('content', content);
  return joinReducers(
    {
      initialize: inSequence(inField('serverInfo', implementation), inField('capabilities', serverCapabilities)),
      'tools/list': inItems('tools', inSequence(listed, tool)),
      'resources/list': inItems('resources', listed),
      'resources/templates/list': inItems('resourceTemplates', listed),
      'prompts/list': inItems('prompts', listed),
      'tools/call': callResult,
      'prompts/get': inItems('messages', inField('content', content)),
    },
    lacks.results ?? {},
  );
}
