// The graph as SVG text, drawn anew: lines stay sharp at any size.

import type { ChartModel, Drawn } from '../plot/model';
import { THRESHOLD_COLOR } from '../plot/palette';
import { showTime } from '../time/time';
import { showTicks } from '../time/units';

const WIDTH = 1200;
const HEIGHT = 480;
const LEFT = 70;
const RIGHT = 70;
const TOP = 40;

export const escapeXml = (text: string) =>
  text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)
    // eslint-disable-next-line no-control-regex
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd');

interface Scale { low: number; high: number; log: boolean }

function scaleOf(model: ChartModel, right: boolean): Scale {
  const log = model.log[right ? 1 : 0];
  let low = Infinity;
  let high = -Infinity;
  for (const one of model.drawn) {
    if (one.right !== right) continue;
    for (const y of [...one.column]) {
      if (typeof y !== 'number' || (log && y <= 0)) continue;
      low = Math.min(low, y);
      high = Math.max(high, y);
    }
  }
  if (!right && model.threshold !== null && !(log && model.threshold <= 0)) {
    low = Math.min(low, model.threshold);
    high = Math.max(high, model.threshold);
  }
  const fromZero = !log && model.style !== 'line' && model.style !== 'points';
  if (fromZero) [low, high] = [Math.min(low, 0), Math.max(high, 0)];
  if (!(low < high)) [low, high] = Number.isFinite(low) ? [log ? low / 2 : low - 1, low + 1] : [0, 1];
  const [from, to] = model.limits[right ? 1 : 0];
  return { low: from ?? low, high: to ?? high, log };
}

function place(y: number, { low, high, log }: Scale): number {
  const part = log ? Math.log(y / low) / Math.log(high / low) : (y - low) / (high - low);
  return HEIGHT - part * (HEIGHT - TOP);
}

export function toSvg(model: ChartModel, title: string, dark: boolean): string {
  const ink = dark ? '#d7dce5' : '#1d2430';
  const rows = model.drawn.slice(0, 40);
  const height = HEIGHT + 40 + rows.length * 20;
  const plot = WIDTH - LEFT - RIGHT;
  const x = (ms: number) => LEFT + ((ms - model.from) / (model.to - model.from)) * plot;
  const scales = [scaleOf(model, false), scaleOf(model, true)] as const;
  const text = (at: [number, number], words: string, more = '') =>
    `<text x="${at[0].toFixed(1)}" y="${at[1].toFixed(1)}" fill="${ink}" ${more}>${escapeXml(words)}</text>`;
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" ` +
      `height="${height}" font-family="system-ui, sans-serif" font-size="12">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect width="100%" height="100%" fill="${dark ? '#12161d' : '#ffffff'}"/>`,
    `<clipPath id="plot"><rect x="${LEFT}" y="${TOP - 4}" width="${plot}" height="${HEIGHT - TOP + 8}"/></clipPath>`,
    text([LEFT, 22], title, 'font-size="15" font-weight="600"'),
  ];
  const ticks = scales.map((scale, axis) => showTicks([0, 1, 2, 3, 4, 5].map((i) => tickOf(scale, i / 5)), model.units[axis]!));
  for (let i = 0; i <= 5; ++i) {
    const ms = model.from + ((model.to - model.from) * i) / 5;
    parts.push(text([x(ms), HEIGHT + 18], showTime(ms, model.tz), 'text-anchor="middle" opacity="0.7"'));
    parts.push(gridLine(i, ink));
    for (const right of [false, true]) {
      if (!model.drawn.some((one) => one.right === right)) continue;
      parts.push(text([right ? WIDTH - RIGHT + 8 : LEFT - 8, HEIGHT - (i / 5) * (HEIGHT - TOP) + 4],
                      ticks[right ? 1 : 0]![i]!,
                      `text-anchor="${right ? 'start' : 'end'}" opacity="0.7"`));
    }
  }
  parts.push('<g clip-path="url(#plot)" fill="none">');
  for (const one of model.drawn) parts.push(lineOf(one, model, x, scales[one.right ? 1 : 0]));
  if (model.threshold !== null) {
    const y = place(model.threshold, scales[0]).toFixed(1);
    parts.push(`<path d="M${LEFT} ${y}H${WIDTH - RIGHT}" stroke="${THRESHOLD_COLOR}" stroke-width="2" stroke-dasharray="10 4"/>`);
  }
  parts.push('</g>');
  rows.forEach((one, i) => {
    const y = HEIGHT + 48 + i * 20;
    parts.push(`<rect x="${LEFT}" y="${y - 9}" width="10" height="10" rx="3" fill="${one.color}"/>`,
               text([LEFT + 18, y], one.series.label));
  });
  return `${parts.join('\n')}\n</svg>\n`;
}

function tickOf({ low, high, log }: Scale, part: number): number {
  return log ? low * (high / low) ** part : low + (high - low) * part;
}

function gridLine(i: number, ink: string): string {
  const y = HEIGHT - (i / 5) * (HEIGHT - TOP);
  return `<path d="M${LEFT} ${y}H${WIDTH - RIGHT}" stroke="${ink}" opacity="0.12"/>`;
}

function lineOf(one: Drawn, model: ChartModel, x: (ms: number) => number, scale: Scale): string {
  const path: string[] = [];
  const dots: string[] = [];
  let pen = 'M';
  one.column.forEach((y, i) => {
    if (y === undefined) return;
    if (y === null || (scale.log && y <= 0)) {
      pen = 'M';
      return;
    }
    const at = `${x(model.axis[i]!).toFixed(1)} ${place(y, scale).toFixed(1)}`;
    path.push(pen + at);
    if (one.dashed) {
      pen = 'L';
      return;
    }
    if (model.style === 'points') dots.push(`M${at}h0`);
    if (model.style === 'bars') dots.push(`M${at}V${place(Math.max(0, scale.low), scale).toFixed(1)}`);
    pen = 'L';
  });
  const isLine = dots.length === 0;
  return `<path d="${(isLine ? path : dots).join('')}" stroke="${one.color}" stroke-width="${
    isLine ? 1.6 : 4}" stroke-linejoin="round" stroke-linecap="${model.style === 'points' ? 'round' : 'butt'}"${
    one.dashed ? ' stroke-dasharray="6 4"' : ''}/>`;
}
