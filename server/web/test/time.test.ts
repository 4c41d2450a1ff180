import { describe, expect, it } from 'vitest';
import { isRelative, parseTime, pinTime, printDuration, printTime, showRange, showSpan, stepFor } from '../src/time/time';
import { showValue } from '../src/plot/series';
import { guessUnit, showNumber, showTicks } from '../src/time/units';

const NOW = Date.UTC(2026, 10, 24, 12);

describe('times', () => {
  it.each([
    ['1h-ago', NOW - 3600e3], ['now', NOW], ['', NOW], ['1392422400', 1392422400e3],
    ['1392422400123', 1392422400123], ['2014/02/15', Date.UTC(2014, 1, 15)],
    ['2014/02/15-12:30', Date.UTC(2014, 1, 15, 12, 30)],
    ['2014/02/15 12:30:05', Date.UTC(2014, 1, 15, 12, 30, 5)],
    ['2014-02-15T12:30', Date.UTC(2014, 1, 15, 12, 30)],
    ['2026-11-26T10:00:00Z', Date.UTC(2026, 10, 26, 10)], ['2026-11-26T10:00:00+01:00', Date.UTC(2026, 10, 26, 9)],
    ['2026-11-26T10:00-0530', Date.UTC(2026, 10, 26, 15, 30)], ['2026-11-26 10:00:00 UTC', Date.UTC(2026, 10, 26, 10)],
    ['2026-11-26 10:00:00.123', Date.UTC(2026, 10, 26, 10, 0, 0, 123)],
    ['2026-11-26T10:00:00,5Z', Date.UTC(2026, 10, 26, 10, 0, 0, 500)],
    ['now-1h', NOW - 3600e3], ['now - 1h', NOW - 3600e3], ['-1h', NOW - 3600e3], ['1h ago', NOW - 3600e3],
    ['10:00', Date.UTC(2026, 10, 24, 10)], ['09:05:07', Date.UTC(2026, 10, 24, 9, 5, 7)],
    ['today', Date.UTC(2026, 10, 24)], ['Yesterday', Date.UTC(2026, 10, 23)],
    ['yesterday 10:00', Date.UTC(2026, 10, 23, 10)],
  ])('%s', (text, want) => expect(parseTime(text, NOW, 'UTC')).toBe(want));

  it.each(['x', '1q-ago', '2014/13/01', '14/01/01', '2014/02/31', '10:61', 'now-', '-', '2014/02/15 12:30:99',
    '2014-02-15T12:30+25:00'])('%s is none', (text) => {
    expect(parseTime(text, NOW, 'UTC')).toBeNaN();
  });
  it('know the zone, and when its clocks change', () => {
    expect(parseTime('2014/07/01-12:00:00', NOW, 'Europe/Berlin')).toBe(Date.UTC(2014, 6, 1, 10));
    for (const ms of [Date.UTC(2014, 2, 30, 0, 59), Date.UTC(2014, 2, 30, 1, 1)]) {
      expect(parseTime(printTime(ms, 'Europe/Berlin'), NOW, 'Europe/Berlin')).toBe(ms);
    }
  });
  it('of a day are those of the day in the zone', () => {
    const late = Date.UTC(2026, 10, 24, 23, 30); // 25 November in Kolkata
    expect(parseTime('10:00', late, 'Asia/Kolkata')).toBe(Date.UTC(2026, 10, 25, 4, 30));
    expect(parseTime('yesterday', late, 'Asia/Kolkata')).toBe(Date.UTC(2026, 10, 23, 18, 30));
  });
  it('are pinned: the same moment in every zone', () => {
    expect(pinTime('2026/11/26-10:00:00', NOW, 'America/New_York')).toBe(String(Date.UTC(2026, 10, 26, 15) / 1e3));
    expect(pinTime('2026-11-26T10:00:00.123Z', NOW, '')).toBe(String(Date.UTC(2026, 10, 26, 10) + 123));
    expect(['now-1h', '-2d', '3w-ago', 'now', 'odd'].map((text) => pinTime(text, NOW, '')))
      .toEqual(['1h-ago', '2d-ago', '3w-ago', '', 'odd']);
    expect(['', '1h-ago', '1392422400'].map(isRelative)).toEqual([true, true, false]);
  });
  it('are read as words', () => {
    const day = Date.UTC(2014, 3, 23, 0, 9);
    const shown = (from: number, to: number, tz = 'UTC') => showRange(String(from), String(to), NOW, tz);
    expect(shown(day, day + 864e5)).toBe('23 Apr 2014 00:09 – 24 Apr 00:09');
    expect(shown(day, day + 864e5, 'Europe/Berlin')).toBe('23 Apr 2014 02:09 – 24 Apr 02:09');
    expect(shown(day, day + 3605e3)).toBe('23 Apr 2014 00:09:00 – 01:09:05');
    expect(shown(day, day + 300 * 864e5)).toBe('23 Apr 2014 00:09 – 17 Feb 2015 00:09');
    expect(shown(day, day + 1500)).toBe('23 Apr 2014 00:09:00.000 – 00:09:01.500');
    const ago = (start: string, end = '') => showRange(start, end, NOW, 'UTC');
    expect([ago('1h-ago'), ago('3h-ago'), ago('30d-ago'), ago('now-1y', 'now'), ago('3h-ago', '1h-ago')])
      .toEqual(['Last hour', 'Last 3 hours', 'Last 30 days', 'Last year', '24 Nov 2026 09:00 – 11:00']);
    expect(ago('1792800000')).toBe('24 Oct 2026 00:00 – now');
    expect(ago('odd')).toBe('odd – now');
  });
  it('have steps that fit', () => {
    expect(stepFor(3600e3, 500)).toBe('10s');
    expect(stepFor(10e3, 500)).toBe('');
    expect(stepFor(1e14, 10)).toBe('365d');
    expect(printDuration(5400e3)).toBe('90m');
    expect(showSpan(125e3)).toBe('2 min');
  });
});

describe('numbers', () => {
  it.each([
    [0, '', '0'], [1234, '', '1234'], [123456, '', '123.5 k'], [0.00001, '', '1.00e-5'],
    [1536, 'bytes', '1.5 KiB'], [10, 'bytes', '10 B'], [2e6, 'bits/s', '2 Mb/s'],
    [12.34, 'percent', '12.34 %'], [0.0025, 'seconds', '2.5 ms'], [1500, 'ms', '1.5 s'],
    [NaN, '', '–'], [null, '', '–'], [1e300, '', '1e+300'], [1.5e24, 'bytes', '1.5e+24 B'], [1e20, '', '100 E'],
  ])('%s as %s is %s', (value, unit, want) => expect(showNumber(value, unit)).toBe(want));
  it.each([
    ['sys.memory.used_percent', 'percent'], ['sys.memory.used', 'bytes'], ['jvm_memory_bytes_total', 'bytes'],
    ['heapUsedBytes', 'bytes'], ['aws.ec2.cpu_utilization', 'percent'], ['memory.alloc.count', ''], ['cpu', ''],
    ['bytesize', ''],
  ])('of %s have the unit "%s"', (metric, want) => expect(guessUnit(metric)).toBe(want));
  it('of a rate are per second', () => {
    expect(guessUnit('net.bytes', true)).toBe('bytes/s');
    expect([[1536, 'bytes/s'], [12, '/s'], [5, 'percent/s'], [2e6, 'bits/s']].map(([value, unit]) =>
      showNumber(value as number, unit as string))).toEqual(['1.5 KiB/s', '12 /s', '5 %/s', '2 Mb/s']);
  });
  it('of an axis differ, and say how far they are apart', () => {
    const second = (i: number) => 1_700_000_000 + 10 * i;
    expect(showTicks([0, 1, 2].map(second), '')).toEqual(['1.7 G', '1.70000001 G', '1.70000002 G']);
    expect(showTicks([0, 5e8, 1e9], 'bytes')).toEqual(['0 B', '476.8 MiB', '953.7 MiB']);
    expect(new Set(showTicks([0, 1, 2, 3].map(second), 'bytes')).size).toBe(4);
    expect(showTicks([20.0002, 20.00025, 20.0003], 'percent')).toEqual(['20.0002 %', '20.00025 %', '20.0003 %']);
    expect(showTicks([1e300, 2e300, null], '')).toEqual(['1e+300', '2e+300', '']);
    expect(showTicks([5], '')).toEqual(['5']);
  });
  it('of a series show how they differ', () => {
    const shown = (value: number, min: number, max: number) =>
      showValue(value, { min, max, last: max, avg: min, points: 2 }, '');
    expect(shown(1_700_000_059, 1_700_000_000, 1_700_000_059)).toBe('1.700000059 G');
    expect(shown(12.345678, 0, 100)).toBe('12.346');
    expect(shown(1.13932291666667, 1.13932291666667, 1.13932291666667)).toBe('1.1393');
    expect(shown(1_700_000_059, 1_700_000_059, 1_700_000_059)).toBe('1.700000059 G');
  });
});
