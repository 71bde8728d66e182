import { summarise } from './statistics.mjs';

/** A sample during which others kept more than this many cores busy is taken once more. */
export const NOISY_CORES = 0.2;

/** Longest time of a sample; beyond it the subject counts as hung. */
const LIMIT_MS = 180_000;

async function limited(sample, variant, settings) {
  let timer;
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`It was not done within ${LIMIT_MS / 1000} s.`)), LIMIT_MS);
  });
  try {
    return await Promise.race([sample(variant, settings), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function takeSample(sample, variant, settings) {
  const first = await limited(sample, variant, settings);
  if (!settings.retake || (first.foreign ?? 0) <= NOISY_CORES) return first;
  const second = await limited(sample, variant, settings);
  return { ...((second.foreign ?? 0) < first.foreign ? second : first), retaken: 1 };
}

/**
 * Takes samples of all variants in turn, round by round, so that a change on the machine affects all of them alike.
 * A variant that fails once is out: an implementation that loses an answer is not fast.
 * @param {{ variants: { label: string }[], sample: Function }} table
 * @param {{ rounds: number, retake: boolean }} settings
 * @param {(event: { round: number, label: string, figures?: object, error?: Error }) => void} tell
 */
export async function interleave({ variants, sample }, settings, tell) {
  const taken = new Map(variants.map(({ label }) => [label, { samples: [], error: undefined }]));
  for (let round = 0; round < settings.rounds; round += 1) {
    for (const variant of variants) {
      const record = taken.get(variant.label);
      if (record.error !== undefined) continue;
      try {
        const figures = await takeSample(sample, variant, settings);
        if (figures.errors > 0) throw new Error(`${figures.errors} wrong answers, the first: ${figures.firstError}`);
        record.samples[round] = figures;
        tell({ round, label: variant.label, figures });
      } catch (error) {
        record.error = error.message;
        tell({ round, label: variant.label, error });
      }
    }
  }
  return taken;
}

/** Makes rows of samples: each metric with its median, and its ratio to the variant of the table's reference. */
export function rowsOf({ variants, metrics, reference }, taken) {
  const valuesOf = (label, key) => taken.get(label)?.samples.map((figures) => figures?.[key]) ?? [];
  return variants.map((variant) => {
    const { samples, error } = taken.get(variant.label);
    const figures = {};
    const keys = error === undefined ? [...metrics, { key: 'foreign' }, { key: 'retaken' }] : [];
    for (const { key } of keys) {
      const summary = summarise(valuesOf(variant.label, key), valuesOf(variant.reference ?? reference, key));
      if (summary !== undefined) figures[key] = summary;
    }
    const compared = variant.reference ?? reference;
    const x = variant.x === undefined ? {} : { x: variant.x };
    return {
      label: variant.label,
      subject: variant.subject,
      ...x,
      reference: compared,
      rounds: samples.filter(Boolean).length,
      error,
      figures,
    };
  });
}

/** Judges the targets. A target whose variant failed is missed; one that was not measured is left out. */
export function judge(targets, rows) {
  return targets.flatMap(({ label, metric, text, judge: look }) => {
    const hasFailed = rows.some((row) => row.label === label && row.error !== undefined);
    const verdict = hasFailed ? { value: 'failed', isReached: false } : look(rows);
    return verdict === undefined ? [] : [{ label, metric, text, ...verdict }];
  });
}
