import type { ModelInfo, ModelProvider } from '../models/model.ts';

export interface ChosenModel {
  readonly provider: ModelProvider;
  readonly info: ModelInfo;
}

/** The model of this name or alias, at the first provider that has it; without a name, the preferred one of the first provider. */
export async function chosenModel(providers: readonly ModelProvider[], name: string | undefined): Promise<ChosenModel> {
  const known: string[] = [];
  for (const provider of providers) {
    const models = await provider.models();
    if (!Array.isArray(models)) throw new TypeError(`The provider "${provider.name}" gave no list of models.`);
    const info = models.find((model) => name === undefined || model.name === name) ?? models.find(isCalled(name));
    if (info !== undefined) return { provider, info };
    known.push(...models.map((model) => model.name));
  }
  const list = known.length === 0 ? 'none' : known.slice(0, 20).join(', ');
  throw new TypeError(
    name === undefined
      ? 'No provider of the agent has a model.'
      : `No provider of the agent has a model "${name}". Models: ${list}.`,
  );
}

const isCalled =
  (name: string | undefined) =>
  ({ aliases }: ModelInfo): boolean =>
    name !== undefined && aliases?.includes(name) === true;
