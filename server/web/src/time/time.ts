// Times of queries: OpenTSDB's texts to milliseconds and back, in a time zone.

const UNITS: Record<string, number> = {
  ms: 1, s: 1e3, m: 60e3, h: 3600e3, d: 86400e3, w: 7 * 86400e3, n: 30 * 86400e3, y: 365 * 86400e3,
};

// "5m" in milliseconds; NaN if the text is none.
export function parseDuration(text: string): number {
  const match = /^(\d+)(ms|[smhdwny])$/.exec(text);
  return match ? Number(match[1]) * UNITS[match[2]!]! : NaN;
}

// The largest unit that gives a whole number: 5400000 is "90m".
export function printDuration(ms: number): string {
  for (const unit of ['w', 'd', 'h', 'm', 's']) {
    if (ms >= UNITS[unit]! && ms % UNITS[unit]! === 0) return `${ms / UNITS[unit]!}${unit}`;
  }
  return `${ms}ms`;
}

// The zone as Intl has it: undefined is the browser's own.
export function zoneOf(tz: string): string | undefined {
  return tz === '' || tz === 'local' ? undefined : tz;
}

export function isZone(tz: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zoneOf(tz) });
    return true;
  } catch {
    return false;
  }
}

const formats = new Map<string, Intl.DateTimeFormat>();

function partsOf(ms: number, tz: string): number[] {
  // Without Intl, which takes tens of milliseconds for its first answer.
  const date = new Date(ms);
  if (tz === 'UTC') {
    return [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate(), date.getUTCHours(), date.getUTCMinutes(),
      date.getUTCSeconds()];
  }
  if (zoneOf(tz) === undefined) {
    return [date.getFullYear(), date.getMonth() + 1, date.getDate(), date.getHours(), date.getMinutes(), date.getSeconds()];
  }
  let format = formats.get(tz);
  if (!format) {
    format = new Intl.DateTimeFormat('en', {
      timeZone: zoneOf(tz), hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric',
      hour: 'numeric', minute: 'numeric', second: 'numeric',
    });
    formats.set(tz, format);
  }
  const found: Record<string, number> = {};
  for (const { type, value } of format.formatToParts(ms)) found[type] = Number(value);
  return ['year', 'month', 'day', 'hour', 'minute', 'second'].map((name) => found[name]!);
}

// How far the zone is ahead of UTC at that moment.
function offsetAt(ms: number, tz: string): number {
  const [year, month, day, hour, minute, second] = partsOf(ms, tz) as [
    number, number, number, number, number, number];
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1e3) * 1e3;
}

// A Date whose local fields are those of the zone: what uPlot draws its axis with.
export function shiftedDate(ms: number, tz: string): Date {
  if (zoneOf(tz) === undefined) return new Date(ms);
  const [year, month, day, hour, minute, second] = partsOf(ms, tz) as [
    number, number, number, number, number, number];
  return new Date(year, month - 1, day, hour, minute, second, ((ms % 1e3) + 1e3) % 1e3);
}

// A text of a query as milliseconds; NaN if it is none. Years have four digits.
export function parseTime(text: string, nowMs: number, tz: string): number {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed === 'now') return nowMs;
  const ago = /^(.*)-ago$/.exec(trimmed);
  if (ago) return nowMs - parseDuration(ago[1]!);
  if (/^\d+(\.\d+)?$/.test(trimmed)) {
    const number = Number(trimmed);
    return number < 1e11 ? number * 1e3 : number;
  }
  const date = /^(\d{4})[/-](\d\d?)[/-](\d\d?)(?:[ T-](\d\d?):(\d\d)(?::(\d\d))?)?$/.exec(trimmed);
  if (!date) return NaN;
  const [year, month, day, hour, minute, second] = date.slice(1).map((word) => Number(word ?? 0));
  if (month! < 1 || month! > 12 || day! < 1 || day! > 31 || hour! > 23 || minute! > 59) return NaN;
  const wall = Date.UTC(year!, month! - 1, day!, hour!, minute!, second!);
  // Twice: the first offset may be that of the other side of a change of the clocks.
  const guess = wall - offsetAt(wall, tz);
  return wall - offsetAt(guess, tz);
}

export function isRelative(text: string): boolean {
  return text === '' || text === 'now' || text.endsWith('-ago');
}

const two = (n: number) => String(n).padStart(2, '0');

// "2014/02/15-12:30:00": OpenTSDB's text.
export function printTime(ms: number, tz: string): string {
  const [year, month, day, hour, minute, second] = partsOf(ms, tz) as [
    number, number, number, number, number, number];
  return `${year}/${two(month)}/${two(day)}-${two(hour)}:${two(minute)}:${two(second)}`;
}

// The same to be read by people.
export function showTime(ms: number, tz: string): string {
  return printTime(ms, tz).replace(/\//g, '-').replace(/-(\d\d:)/, ' $1');
}

// "3 min", "2 h", "5 d": how long something is or is ago.
export function showSpan(ms: number): string {
  const seconds = Math.max(0, ms / 1e3);
  if (seconds < 1) return `${Math.round(seconds * 1e3)} ms`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172800) return `${Math.round(seconds / 3600)} h`;
  if (seconds < 86400 * 730) return `${Math.round(seconds / 86400)} d`;
  return `${Math.round(seconds / 86400 / 365)} y`;
}

const STEPS = ['1s', '2s', '5s', '10s', '15s', '30s', '1m', '2m', '5m', '10m', '15m', '30m', '1h',
  '2h', '3h', '6h', '12h', '1d', '2d', '1w', '2w', '30d', '90d', '365d'];

// The shortest round interval that gives at most `points` points; '' = the range is short enough
// for all points.
export function stepFor(rangeMs: number, points: number): string {
  if (rangeMs <= 30 * 60e3) return '';
  return STEPS.find((step) => rangeMs / parseDuration(step) <= points) ?? STEPS[STEPS.length - 1]!;
}
