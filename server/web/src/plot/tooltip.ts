// The values at the crosshair, all series in one box. Written by hand, not by Preact: it changes
// with each move of the pointer.

import type uPlot from 'uplot';
import { showTime } from '../time/time';
import type { ChartModel } from './model';
import { showValue } from './series';

const ROWS_MAX = 14;

export interface Row { label: string; color: string; value: string; at: number; focused: boolean }

// The rows at an index, the highest first; the series that the pointer is at is always among them.
export function rowsAt(model: ChartModel, idxs: (number | null | undefined)[],
                       focused: number): Row[] {
  const rows: Row[] = [];
  let at = 0;
  model.drawn.forEach((one) => {
    ++at;
    const index = idxs[at];
    const { xs, ys } = one.series;
    const own = index == null ? null : ownValue(model.axis[index]!, xs, ys);
    if (own !== null) {
      rows.push({ label: one.series.label, color: one.color, at: own, focused: at === focused,
        value: showValue(own, one.series.stats, one.unit) });
    }
    if (one.low && one.high) at += 2;
  });
  return rows.sort((a, b) => b.at - a.at);
}

// The value that was measured, not where it is drawn: that may be on top of others.
function ownValue(x: number, xs: number[], ys: (number | null)[]): number | null {
  let low = 0;
  let high = xs.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (xs[middle]! < x) low = middle + 1;
    else high = middle;
  }
  return xs[low] === x ? (ys[low] ?? null) : null;
}

export class Tooltip {
  private readonly box = document.createElement('div');

  constructor(private readonly host: HTMLElement) {
    this.box.className = 'tooltip';
    this.box.hidden = true;
    host.append(this.box);
  }

  show(u: uPlot, model: ChartModel, focused: number): void {
    const { left, top, idx, idxs } = u.cursor;
    if (idx == null || left == null || left < 0) {
      this.box.hidden = true;
      return;
    }
    const rows = rowsAt(model, idxs ?? [], focused);
    const title = document.createElement('b');
    title.textContent = showTime(model.axis[idx]!, model.tz);
    this.box.replaceChildren(title, ...this.lines(rows));
    this.box.hidden = false;
    this.place(u, left, top ?? 0);
  }

  hide(): void {
    this.box.hidden = true;
  }

  private lines(rows: Row[]): HTMLElement[] {
    const shown = rows.slice(0, ROWS_MAX);
    const near = rows.find((row) => row.focused);
    if (near && !shown.includes(near)) shown[shown.length - 1] = near;
    const lines = shown.map(lineOf);
    if (rows.length > shown.length || rows.length === 0) {
      const more = document.createElement('i');
      more.textContent = rows.length ? `and ${rows.length - shown.length} more` : 'no point here';
      lines.push(more);
    }
    return lines;
  }

  private place(u: uPlot, left: number, top: number): void {
    const x = left + u.over.offsetLeft;
    const width = this.box.offsetWidth;
    const flip = x + width + 24 > this.host.offsetWidth;
    this.box.style.left = `${Math.max(0, flip ? x - width - 16 : x + 16)}px`;
    const room = this.host.offsetHeight - this.box.offsetHeight - 8;
    this.box.style.top = `${Math.max(0, Math.min(top, room))}px`;
  }
}

function lineOf(row: Row): HTMLElement {
  const line = document.createElement('div');
  if (row.focused) line.className = 'near';
  const dot = document.createElement('span');
  dot.className = 'dot';
  dot.style.background = row.color;
  const name = document.createElement('bdi');
  name.textContent = row.label;
  const value = document.createElement('em');
  value.textContent = row.value;
  line.append(dot, name, value);
  return line;
}
