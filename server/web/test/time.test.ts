import { describe, expect, it } from 'vitest';
import { parseTime, printDuration, printTime, showSpan, stepFor } from '../src/time/time';
import { showNumber } from '../src/time/units';

const NOW = Date.UTC(2026, 10, 24, 12);

describe('times', () => {
  it.each([
    ['1h-ago', NOW - 3600e3], ['now', NOW], ['', NOW], ['1392422400', 1392422400e3],
    ['1392422400123', 1392422400123], ['2014/02/15', Date.UTC(2014, 1, 15)],
    ['2014/02/15-12:30', Date.UTC(2014, 1, 15, 12, 30)],
    ['2014/02/15 12:30:05', Date.UTC(2014, 1, 15, 12, 30, 5)],
    ['2014-02-15T12:30', Date.UTC(2014, 1, 15, 12, 30)],
  ])('%s', (text, want) => expect(parseTime(text, NOW, 'UTC')).toBe(want));

  it.each(['x', '1q-ago', '2014/13/01', '14/01/01'])('%s is none', (text) => {
    expect(parseTime(text, NOW, 'UTC')).toBeNaN();
  });
  it('know the zone, and when its clocks change', () => {
    expect(parseTime('2014/07/01-12:00:00', NOW, 'Europe/Berlin')).toBe(Date.UTC(2014, 6, 1, 10));
    for (const ms of [Date.UTC(2014, 2, 30, 0, 59), Date.UTC(2014, 2, 30, 1, 1)]) {
      expect(parseTime(printTime(ms, 'Europe/Berlin'), NOW, 'Europe/Berlin')).toBe(ms);
    }
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
    [NaN, '', '–'], [null, '', '–'],
  ])('%s as %s is %s', (value, unit, want) => expect(showNumber(value, unit)).toBe(want));
});
