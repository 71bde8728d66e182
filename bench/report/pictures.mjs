// The growth curves as pictures for the documents: one for each workload, a panel for each of its curves, and the exponents under it.
import { growthText, isDrawn, panelOfCurve } from './curve.mjs';
import { drawLines } from './lines.mjs';
import { drawing, group, text } from './svg.mjs';

const WIDTH = 960;
const MARGIN = 28;
const COLUMNS = 2;
const GAP = 36;
const CURVE_HEIGHT = 220;
const UNDER = 18;
const BETWEEN = 22;
const HEADING = 66;

/** Subjects that are drawn: the others are in the table of the results. */
const isShown = (subject) => subject === 'raw' || subject === 'crosspoint' || subject.startsWith('host');

function drawPanel(panel, width) {
  const exponents = panel.series
    .filter(({ growth }) => growth !== undefined)
    .map(({ subject, growth }) => `${subject} ${growthText(growth)}`);
  return [
    ...drawLines(panel, { width, height: CURVE_HEIGHT }),
    text(0, CURVE_HEIGHT + UNDER, `Exponent: ${exponents.join(', ')}`, {}),
  ];
}

const panelsOf = (table) =>
  table.curves
    .map((curve) => {
      const { series, ...panel } = panelOfCurve(table, curve);
      return {
        ...panel,
        title: `${curve.title}, ${curve.unit}`,
        series: series.filter(({ subject }) => isShown(subject)),
      };
    })
    .filter(isDrawn);

/** The name of the picture of a table in docs/pictures/. */
export const pictureOf = ({ id }) => `growth-${id}.svg`;

/** The curves of one workload as a drawing; nothing where none of them has two points. */
export function drawGrowth(table, { machine, date }) {
  const panels = panelsOf(table);
  if (panels.length === 0) return undefined;
  const width = (WIDTH - 2 * MARGIN - GAP) / COLUMNS;
  const step = CURVE_HEIGHT + UNDER + BETWEEN;
  const title = table.title.replace('growth: ', '');
  const drawn = panels.map((panel, at) =>
    group(MARGIN + (at % COLUMNS) * (width + GAP), HEADING + Math.floor(at / COLUMNS) * step, drawPanel(panel, width)),
  );
  const where = `${machine.processor}, ${machine.cores} cores, Node ${machine.node}, ${date}. Both directions are logarithmic: flat is constant, one step per step is proportional.`;
  const heading = [
    text(MARGIN, 30, `${title[0].toUpperCase()}${title.slice(1)}`, { class: 'title' }),
    text(MARGIN, 48, where, { class: 'soft' }),
  ];
  const height = HEADING + Math.ceil(panels.length / COLUMNS) * step;
  return drawing({ width: WIDTH, height, title }, [...heading, ...drawn]);
}
