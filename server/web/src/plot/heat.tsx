// A heat map: time from left to right, rows from top to bottom, darker = more.

import { useEffect, useRef, useState } from 'preact/hooks';
import { parseDuration, printTime } from '../time/time';

export interface HeatModel {
  rows: number;
  steps: number;
  startMs: number;
  stepMs: number;
  tz: string;
  at: (row: number, step: number) => number; // NaN = there is nothing
  text: (row: number, step: number) => string; // what the pointer is told
  marks: number[]; // times at which a line is drawn
}

const AXIS = 18;
const TICKS = ['10s', '1m', '5m', '10m', '30m', '1h', '3h', '6h', '12h', '1d', '2d', '7d', '30d'];

export function HeatMap({ model, label, height }: { model: HeatModel; label: string; height: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [told, setTold] = useState('');
  useEffect(() => {
    const element = canvas.current!;
    const draw = () => paint(element, model, height);
    draw();
    const watch = new ResizeObserver(draw);
    watch.observe(element);
    return () => watch.disconnect();
  }, [model, height]);
  const point = (event: PointerEvent) => {
    const box = canvas.current!.getBoundingClientRect();
    const row = Math.floor(((event.clientY - box.top) / (box.height - AXIS)) * model.rows);
    const step = Math.floor(((event.clientX - box.left) / box.width) * model.steps);
    setTold(row >= 0 && row < model.rows && step >= 0 && step < model.steps ? model.text(row, step) : '');
  };
  return (
    <figure class="heat">
      <canvas ref={canvas} role="img" aria-label={label} style={{ height: `${height + AXIS}px` }}
        onPointerMove={point} onPointerLeave={() => setTold('')} />
      <figcaption class="told"><bdi>{told || 'Point at the map to read it.'}</bdi></figcaption>
    </figure>
  );
}

export function highest(model: HeatModel): number {
  let most = 0;
  for (let row = 0; row < model.rows; ++row) {
    for (let step = 0; step < model.steps; ++step) {
      const value = model.at(row, step);
      if (value > most) most = value;
    }
  }
  return most;
}

function paint(canvas: HTMLCanvasElement, model: HeatModel, height: number): void {
  const scale = devicePixelRatio || 1;
  const width = canvas.clientWidth || 600;
  canvas.width = width * scale;
  canvas.height = (height + AXIS) * scale;
  const pen = canvas.getContext('2d')!;
  pen.scale(scale, scale);
  const style = getComputedStyle(canvas);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const most = highest(model) || 1;
  const x = (step: number) => Math.round((step / model.steps) * width);
  const y = (row: number) => Math.round((row / model.rows) * height);
  pen.fillStyle = color('--accent');
  for (let row = 0; row < model.rows; ++row) {
    for (let step = 0; step < model.steps; ++step) {
      const value = model.at(row, step);
      if (!(value > 0)) continue;
      // The square root: small loads can be seen beside a large one.
      pen.globalAlpha = 0.06 + 0.94 * Math.sqrt(value / most);
      pen.fillRect(x(step), y(row), Math.max(1, x(step + 1) - x(step)), Math.max(1, y(row + 1) - y(row)));
    }
  }
  pen.globalAlpha = 1;
  pen.fillStyle = '#c2410c';
  for (const ms of model.marks) pen.fillRect(x((ms - model.startMs) / model.stepMs), 0, 1, height);
  drawTimes(pen, model, width, height, color('--soft'), color('--line'), style.fontFamily);
}

// At round times, as many as have room.
function drawTimes(pen: CanvasRenderingContext2D, { startMs, stepMs, steps, tz }: HeatModel, width: number,
                   height: number, ink: string, line: string, font: string): void {
  const range = stepMs * steps;
  const tick = TICKS.map(parseDuration).find((ms) => (range / ms) * 76 <= width) ?? range;
  pen.font = `11px ${font}`;
  pen.textBaseline = 'bottom';
  for (let ms = Math.ceil(startMs / tick) * tick; ms < startMs + range; ms += tick) {
    const at = ((ms - startMs) / range) * width;
    const [date, clock] = printTime(ms, tz).split('-') as [string, string];
    const text = clock === '00:00:00' ? date.slice(5) : tick < 60e3 ? clock : clock.slice(0, 5);
    pen.fillStyle = line;
    pen.fillRect(at, height, 1, 4);
    pen.fillStyle = ink;
    if (at + 34 < width) pen.fillText(text, at + 3, height + AXIS);
  }
}
