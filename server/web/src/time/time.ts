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

const AGO = /^(?:now *)?- *(\w+)$|^(\w+)[ -]ago$/;
const CLOCK = String.raw`(\d\d?):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?`;
const DATE = new RegExp(
  String.raw`^(?:(\d{4})[/-](\d\d?)[/-](\d\d?)|today|yesterday)(?:[ T-]${CLOCK})? *(Z|UTC|[+-]\d\d(?::?\d\d)?)?$`, 'i');

// The "1h" of "1h-ago", "now-1h" and "-1h"; '' for other texts.
const agoOf = (text: string) => AGO.exec(text.trim())?.slice(1).find(Boolean) ?? '';

// A time that a person writes, as milliseconds: OpenTSDB's texts, ISO 8601, times of today. Years have four
// digits. NaN for other texts.
export function parseTime(text: string, nowMs: number, tz: string): number {
  const trimmed = text.trim();
  if (isNow(trimmed)) return nowMs;
  if (agoOf(trimmed)) return nowMs - parseDuration(agoOf(trimmed));
  if (/^\d+(\.\d+)?$/.test(trimmed)) {
    const number = Number(trimmed);
    return number < 1e11 ? number * 1e3 : number;
  }
  const date = DATE.exec(/^\d\d?:/.test(trimmed) ? `today ${trimmed}` : trimmed);
  if (!date) return NaN;
  // Without a date: of today, or of the day before.
  const back = /^y/i.test(trimmed) ? 1 : 0;
  const today = partsOf(nowMs, tz);
  const [year, month, day] = date[1] ? date.slice(1, 4).map(Number) : [today[0], today[1], today[2]! - back];
  const [hour, minute, second] = date.slice(4, 7).map((word) => Number(word ?? 0));
  const midnight = Date.UTC(year!, month! - 1, day!);
  if (date[1] && new Date(midnight).toISOString().slice(5, 10) !== `${two(month!)}-${two(day!)}`) return NaN;
  if (hour! > 23 || minute! > 59 || second! > 59) return NaN;
  const ms = Math.floor(Number(`0.${date[7] ?? 0}`) * 1e3);
  return inZone(midnight + hour! * 3600e3 + minute! * 60e3 + second! * 1e3 + ms, date[8], tz);
}

// The moment at which clocks show `wall`: in the zone, or as far from UTC as `offset` says.
function inZone(wall: number, offset: string | undefined, tz: string): number {
  const sign = offset?.[0];
  if (sign === '+' || sign === '-') {
    const hours = Number(offset!.slice(1, 3));
    if (hours > 18) return NaN;
    return wall - Number(`${sign}1`) * (hours * 3600e3 + Number(offset!.slice(3).replace(':', '')) * 60e3);
  }
  if (sign) return wall;
  // Twice: the first offset may be that of the other side of a change of the clocks.
  const guess = wall - offsetAt(wall, tz);
  return wall - offsetAt(guess, tz);
}

const isNow = (text: string) => text === '' || text === 'now';

export function isRelative(text: string): boolean {
  return isNow(text) || agoOf(text) !== '';
}

// A time as the address has it: "1h-ago", or '' for now, if it moves with the clock; otherwise seconds or
// milliseconds since 1970, the same moment in every zone. Keeps texts that `parseTime` does not take.
export function pinTime(text: string, nowMs: number, tz: string): string {
  if (isNow(text.trim())) return '';
  const ms = parseTime(text, nowMs, tz);
  if (Number.isNaN(ms)) return text;
  const ago = agoOf(text);
  return ago ? `${ago}-ago` : printUnix(ms);
}

export const printUnix = (ms: number) => String(ms % 1e3 ? Math.round(ms) : ms / 1e3);

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

const WORDS: Record<string, string> = {
  ms: 'millisecond', s: 'second', m: 'minute', h: 'hour', d: 'day', w: 'week', n: 'month', y: 'year',
};
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

// A range in words: "Last 3 hours", "23 Apr 2014 00:09 – 24 Apr 00:09".
export function showRange(start: string, end: string, nowMs: number, tz: string): string {
  const ago = /^(\d+)(\D+)$/.exec(agoOf(start));
  const [from, to] = [parseTime(start, nowMs, tz), parseTime(end, nowMs, tz)];
  const isOpen = isNow(end);
  if (Number.isNaN(from + to)) return `${start} – ${end || 'now'}`;
  if (ago && isOpen) return ago[1] === '1' ? `Last ${WORDS[ago[2]!]}` : `Last ${ago[1]} ${WORDS[ago[2]!]}s`;
  const shown = isOpen ? [from] : [from, to];
  // As many digits as both need.
  const digits = shown.some((ms) => ms % 1e3) ? 12 : shown.some((ms) => ms % 60e3) ? 8 : 5;
  const [first, last] = shown.map((ms) => {
    const [year, month, day, ...clock] = partsOf(ms, tz);
    const text = `${clock.map(two).join(':')}.${String(Math.round(ms) % 1e3).padStart(3, '0')}`;
    return [` ${year}`, `${day} ${MONTHS[month! - 1]}`, text.slice(0, digits)] as const;
  });
  const begin = `${first![1]}${first![0]} ${first![2]} – `;
  if (!last) return `${begin}now`;
  const isSameYear = first![0] === last[0];
  if (isSameYear && first![1] === last[1]) return begin + last[2];
  return `${begin}${last[1]}${isSameYear ? '' : last[0]} ${last[2]}`;
}

// The name of the zone in which times are shown.
export function zoneName(tz: string): string {
  return zoneOf(tz) ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
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

// The shortest round interval that gives at most `points` points; '' = the range is not longer than
// `shortMs`, and all points are shown.
export function stepFor(rangeMs: number, points: number, shortMs = 30 * 60e3): string {
  if (rangeMs <= shortMs) return '';
  return STEPS.find((step) => rangeMs / parseDuration(step) <= points) ?? STEPS[STEPS.length - 1]!;
}
