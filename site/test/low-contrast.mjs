/**
 * Runs in the page: texts whose colour differs too little from what is behind them, by the rule that axe applies (4.5 to 1, large ones
 * 3 to 1). It looks at every text of a page in a fraction of the time, which is what all pages in both schemes need.
 */
export function lowContrast() {
  const channel = (value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const parse = (color) => (color.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = ([red, green, blue]) =>
    0.2126 * channel(red / 255) + 0.7152 * channel(green / 255) + 0.0722 * channel(blue / 255);
  const backgrounds = new Map();
  const backgroundOf = (element) => {
    if (element === null) return 'rgb(255, 255, 255)';
    const known = backgrounds.get(element);
    if (known !== undefined) return known;
    const own = getComputedStyle(element).backgroundColor;
    const found = parse(own)[3] === 0 ? backgroundOf(element.parentElement) : own;
    backgrounds.set(element, found);
    return found;
  };
  const ratios = new Map();
  const ratioOf = (color, background) => {
    const key = `${color} on ${background}`;
    if (!ratios.has(key)) {
      const [light, dark] = [luminance(parse(color)), luminance(parse(background))].sort((a, b) => b - a);
      ratios.set(key, (light + 0.05) / (dark + 0.05));
    }
    return ratios.get(key);
  };
  const found = new Set();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let seen = 0;
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    const element = text.parentElement;
    if (text.data.trim() === '' || element === null) continue;
    const { color, opacity, fontSize, fontWeight } = getComputedStyle(element);
    if (opacity === '0') continue;
    seen += 1;
    const size = Number.parseFloat(fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(fontWeight) >= 700);
    const background = backgroundOf(element);
    if (ratioOf(color, background) < (isLarge ? 3 : 4.5))
      found.add(`${color} on ${background}, as in "${text.data.trim().slice(0, 40)}"`);
  }
  return { seen, found: [...found] };
}
