// The values at one instant. They stay while the pointer moves on and the graph is drawn anew.

import { useState } from 'preact/hooks';
import { showTime } from '../time/time';
import { showCount } from '../time/units';
import type { ChartModel } from './model';
import { nearest } from './options';
import { rowsAt } from './tooltip';

const ROWS_MAX = 50;

export function Pinned({ model, at, onClose }: { model: ChartModel; at: number; onClose: () => void }) {
  const [isCopied, setCopied] = useState(false);
  const { axis, drawn, tz } = model;
  const index = axis.reduce((best, ms, i) => (Math.abs(ms - at) < Math.abs(axis[best]! - at) ? i : best), 0);
  // One for each column, of which a band has two.
  const indices = [index, ...drawn.flatMap(({ column, low, high }) => [nearest(column, index), ...(low && high ? [0, 0] : [])])];
  const rows = rowsAt(model, indices, -1);
  const time = showTime(axis[index] ?? at, tz);
  const copy = () => navigator.clipboard.writeText([time, ...rows.map(({ label, value }) => `${label}\t${value}`)].join('\n'))
    .then(() => setCopied(true));
  return (
    <section class="panel" aria-label="Pinned values">
      <header>
        <h2>{time}</h2>
        {navigator.clipboard && <button onClick={() => void copy()}>{isCopied ? 'Copied' : 'Copy'}</button>}
        <button class="quiet" aria-label="Unpin" onClick={onClose}>✕</button>
      </header>
      <p class="keys">
        {rows.slice(0, ROWS_MAX).map(({ label, value, color }) => (
          <span key={label}><span class="dot" style={{ background: color }} /> <bdi>{label}</bdi> <b>{value}</b></span>
        ))}
        {rows.length === 0 && <span>no point here</span>}
        {rows.length > ROWS_MAX && <span>and {showCount(rows.length - ROWS_MAX)} more</span>}
      </p>
    </section>
  );
}
