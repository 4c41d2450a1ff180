import { describe, expect, it } from 'vitest';
import { migrateOf, parseDesign, printDesign, stepsOf } from '../src/lab/design';
import { figuresOf, heatOf, keyOf, type Simulated } from '../src/lab/result';

describe('a design', () => {
  it.each([
    'salted: layout=salted:20 presplit=salt policy=',
    'a b: layout=metric+hour+tags distributor=xxh3:64 presplit=hex:16 tsd.region.split.policy=ConstantSize engine=hbase seed=7 TTL=86400',
  ])('is the text of the command line, both ways: %s', (text) => {
    const design = parseDesign(text);
    expect(parseDesign(printDesign(design))).toEqual(design);
  });
  it('keeps what has no field of its own, in its order', () => {
    const design = parseDesign('x: seed=7 layout=opentsdb TTL=1');
    expect(design).toMatchObject({ name: 'x', layout: 'opentsdb', more: 'seed=7 TTL=1', policy: '' });
    expect(printDesign(design)).toBe('x: layout=opentsdb seed=7 TTL=1');
  });
  it('without a name is one all the same', () => {
    expect(printDesign(parseDesign('layout'))).toBe('design: layout');
  });
});

describe('the migration to a design', () => {
  const f = (text: string) => migrateOf(parseDesign(`x: ${text}`));
  it('has the salt of the layout', () => {
    expect(f('')).toBe('hourcell migrate FROM TO --set tsd.storage.salt.width=0');
    expect(f('layout=opentsdb distributor=none presplit=hex:16')).toBe(f(''));
    expect(f('layout=salted:20')).toBe(
      'hourcell migrate FROM TO --set tsd.storage.salt.width=1 --set tsd.storage.salt.buckets=20');
    expect(f('layout=salted:1000')).toContain('salt.width=2 --set tsd.storage.salt.buckets=1000');
  });
  it('does not exist for keys that no store has', () => {
    expect(f('layout=time-first')).toBe('# no store has such keys');
    expect(f('layout=salted:20 distributor=xxh3:64')).toBe('# no store has such keys');
  });
});

describe('the heat map of a fleet', () => {
  it('has steps of whole hours', () => {
    expect(['duration=2d', 'metrics=1,duration=36h', 'duration=10d', ''].map(stepsOf)).toEqual([48, 36, 80, 24]);
  });
});

const simulated = (name: string, totals: Record<string, number>): Simulated => ({
  design: { name, layout: '', fields: '', distributor: '', presplit: '', policy: '' }, totals,
  regions: [], predictions: [],
  timeline: [{ time_ms: 5000, kind: 'split', region: 1, key: 'k', key_text: '', bytes: 0, regions: 2, cause: '' }],
  heat: { start_ms: 0, step_ms: 1000, steps: 2, row_starts: ['', '\\x01'], row_texts: ['', 'metric 1'], puts: [1, 2, 3, 4] },
});

describe('simulations', () => {
  it('are compared, and the best of each figure is marked', () => {
    const rows = figuresOf([simulated('a', { regions: 3, gini: 0.5 }), simulated('b', { regions: 9, gini: 0.25 })]);
    expect(rows.map((row) => [row.title, row.texts, row.best])).toEqual([
      ['Regions', ['3', '9'], [false, false]],
      ['Inequality of puts (Gini)', ['0.5', '0.25'], [false, true]],
    ]);
  });
  it('that are alike have no best one', () => {
    expect(figuresOf([simulated('a', { gini: 1 }), simulated('b', { gini: 1 })])[0]!.best).toEqual([false, false]);
  });
  it('are heat maps with keys in words beside their bytes', () => {
    const heat = heatOf(simulated('a', {}));
    expect([heat.at(0, 1), heat.at(1, 0), heat.marks]).toEqual([2, 3, [5000]]);
    expect(heat.text(1, 1)).toBe('1970-01-01 00:00:01: 4 puts from metric 1 (\\x01)');
    expect(keyOf('', '')).toBe('the first key');
  });
});
