// Numbers as people read them.

export const UNITS = ['', '/s', 'bytes', 'bits/s', 'bytes/s', 'percent', 'seconds', 'ms'] as const;
export type Unit = (typeof UNITS)[number];

const SI = ['', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

function scaled(value: number, base: number, prefixes: string[], precision: number): string {
  const power = Math.max(0, Math.floor(Math.log(Math.abs(value)) / Math.log(base)));
  if (power >= prefixes.length) return digits(value, precision); // as 1e+300
  return `${digits(value / base ** power, precision)}${prefixes[power] ? ` ${prefixes[power]}` : ''}`;
}

function digits(value: number, precision: number): string {
  const size = Math.abs(value);
  if (size !== 0 && size < 0.001) return value.toExponential(precision - 2);
  return String(Number(value.toPrecision(Math.max(precision, size >= 1000 ? 6 : 0))));
}

// How many digits numbers of that size need if they are that far apart.
export function digitsFor(size: number, distance: number): number {
  return Math.min(15, Math.max(4, Math.ceil(Math.log10(Math.abs(size) / distance)) + 2 || 0));
}

// The numbers of an axis.
export function showTicks(values: (number | null)[], unit: string): string[] {
  const known = values.filter((v) => v !== null);
  const step = known.length > 1 ? known[1]! - known[0]! : Infinity;
  const precision = digitsFor(Math.max(...known.map(Math.abs)), step);
  return values.map((v) => (v === null ? '' : showNumber(v, unit, precision)));
}

export function showNumber(value: number | null | undefined, unit = '', precision = 4): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  if (/^(|bytes|percent)\/s$/.test(unit)) {
    return `${showNumber(value, unit.slice(0, -2), precision)}${unit === '/s' ? ' ' : ''}/s`;
  }
  switch (unit) {
    case 'bytes':
      return `${withGap(scaled(value, 1024, BINARY, precision))}B`;
    case 'bits/s':
      return `${withGap(scaled(value, 1000, SI, precision))}b/s`;
    case 'percent':
      return `${digits(value, precision)} %`;
    case 'seconds':
      return showSeconds(value, precision);
    case 'ms':
      return showSeconds(value / 1e3, precision);
    default:
      return Math.abs(value) < 10000 ? digits(value, precision) : scaled(value, 1000, SI, precision);
  }
}

// A unit follows its number after one blank, its prefix without.
function withGap(text: string): string {
  return text.includes(' ') ? text : `${text} `;
}

function showSeconds(seconds: number, precision: number): string {
  const size = Math.abs(seconds);
  const [times, unit] = size === 0 ? [1, 's'] : size < 1e-3 ? [1e6, 'µs'] : size < 1 ? [1e3, 'ms']
    : size < 120 ? [1, 's'] : size < 7200 ? [1 / 60, 'min'] : [1 / 3600, 'h'];
  return `${digits(seconds * times, precision)} ${unit}`;
}

export function showCount(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${showCount(count)} ${count === 1 ? one : many}`;
}

const NAMED: [RegExp, Unit][] = [[/^(bytes|memory|mem)$/, 'bytes'], [/^(percent|pct|utili[sz]ation)$/, 'percent'],
  [/^(count|requests|errors)$/, '']];

// The unit in a metric's name: that of the last word with a unit. A rate is per second.
export function guessUnit(metric: string, isRate = false): string {
  const words = metric.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase().split(/[^a-z]+/).reverse();
  const units = words.flatMap((word) => NAMED.filter(([name]) => name.test(word)).map(([, unit]) => unit));
  return (units[0] ?? '') + (isRate ? '/s' : '');
}
