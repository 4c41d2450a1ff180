// Numbers as people read them.

export const UNITS = ['', 'bytes', 'bits/s', 'bytes/s', 'percent', 'seconds', 'ms'] as const;
export type Unit = (typeof UNITS)[number];

const SI = ['', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

function scaled(value: number, base: number, prefixes: string[]): string {
  const power = Math.min(prefixes.length - 1,
                         Math.max(0, Math.floor(Math.log(Math.abs(value)) / Math.log(base))));
  return `${digits(value / base ** power)}${prefixes[power] ? ` ${prefixes[power]}` : ''}`;
}

function digits(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && size < 0.001) return value.toExponential(2);
  return String(Number(value.toPrecision(size >= 1000 ? 6 : 4)));
}

export function showNumber(value: number | null | undefined, unit = ''): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  switch (unit) {
    case 'bytes':
    case 'bytes/s':
      return `${withGap(scaled(value, 1024, BINARY))}B${unit === 'bytes/s' ? '/s' : ''}`;
    case 'bits/s':
      return `${withGap(scaled(value, 1000, SI))}b/s`;
    case 'percent':
      return `${digits(value)} %`;
    case 'seconds':
      return showSeconds(value);
    case 'ms':
      return showSeconds(value / 1e3);
    default:
      return Math.abs(value) < 10000 ? digits(value) : scaled(value, 1000, SI);
  }
}

// A unit follows its number after one blank, its prefix without.
function withGap(text: string): string {
  return text.includes(' ') ? text : `${text} `;
}

function showSeconds(seconds: number): string {
  const size = Math.abs(seconds);
  if (size === 0) return '0 s';
  if (size < 1e-3) return `${digits(seconds * 1e6)} µs`;
  if (size < 1) return `${digits(seconds * 1e3)} ms`;
  if (size < 120) return `${digits(seconds)} s`;
  if (size < 7200) return `${digits(seconds / 60)} min`;
  return `${digits(seconds / 3600)} h`;
}

export function showCount(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${showCount(count)} ${count === 1 ? one : many}`;
}

// The unit that the name of a metric tells.
export function guessUnit(metric: string): Unit {
  if (/bytes|memory/i.test(metric)) return 'bytes';
  if (/percent|utili[sz]ation/i.test(metric)) return 'percent';
  return '';
}
