// A result as a run would give it, small enough to be read.

const figure = (median, ratio) => ({ median, low: median, high: median, ratio, ratioLow: ratio, ratioHigh: ratio });

const row = (label, figures, more = {}) => ({
  label,
  subject: label.split(/[ ,]/, 1)[0],
  reference: 'raw',
  rounds: 5,
  error: undefined,
  figures,
  ...more,
});

const METRICS = [{ key: 'rate', title: 'requests/s', better: 'more' }];

export const RESULT = {
  date: '2026-01-31',
  command: 'npm run bench',
  machine: { system: 'Linux x64', processor: 'Fast & <new>', cores: 2, memoryGb: 8, node: 'v20.19.0', isPinned: true },
  peers: { tmcp: '1.0.0' },
  settings: { rounds: 5 },
  seconds: 1,
  tables: [
    {
      id: 'w1',
      title: 'calls over HTTP',
      note: 'A note.',
      metrics: METRICS,
      reference: 'raw',
      rows: [
        row('raw', { rate: figure(20_000, 1) }),
        row('crosspoint', { rate: figure(18_000, 0.9), foreign: figure(0.01, 1) }),
        row('tmcp', {}, { rounds: 0, error: 'It ended.\nWith a stack.' }),
      ],
      targets: [{ label: 'crosspoint', metric: 'rate', text: '≥ 85 % of raw', value: '90 %', isReached: true }],
    },
    {
      id: 'gt',
      title: 'growth: calls with many tools',
      curves: [{ x: 'tools', metric: 'cpu', title: 'a call', unit: 'µs CPU', growth: 'flat' }],
      metrics: [{ key: 'cpu', title: 'CPU', better: 'less' }],
      reference: 'raw',
      rows: [
        row('raw, 1', { cpu: figure(50, 1) }, { x: 1, reference: 'raw, 1' }),
        row('raw, 1,000', { cpu: figure(50, 1) }, { x: 1000, reference: 'raw, 1,000' }),
        row('crosspoint, 1', { cpu: figure(60, 1.2) }, { x: 1, reference: 'raw, 1' }),
        row('crosspoint, 1,000', { cpu: figure(61, 1.22) }, { x: 1000, reference: 'raw, 1,000' }),
      ],
      targets: [{ label: 'crosspoint', metric: 'cpu', text: 'flat: exponent ≤ 0.15', value: '0.00', isReached: true }],
    },
  ],
};
