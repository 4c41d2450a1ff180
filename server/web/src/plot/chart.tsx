// A chart: uPlot in a box that fills its place, with crosshair, zoom, keys and notes.

import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import type { Annotation } from '../api/stream';
import type { ChartModel } from './model';
import { dataOf, optionsOf, type Theme } from './options';
import { THRESHOLD_COLOR } from './palette';
import { Pinned } from './pinned';
import { Tooltip } from './tooltip';
import { bindTouch } from './touch';

export interface ChartProps {
  model: ChartModel;
  notes: Annotation[];
  height: number;
  dark: boolean;
  onZoom: (from: number, to: number) => void;
  onNote: (note: Annotation) => void;
  onReady?: (u: uPlot) => void;
  numbers?: string; // where a person who cannot see the graph finds them
}

function themeOf(host: HTMLElement): Theme {
  const style = getComputedStyle(host);
  return {
    text: style.getPropertyValue('--soft').trim(), grid: style.getPropertyValue('--grid').trim(),
    font: `12px ${style.fontFamily}`,
  };
}

// Times of annotations are seconds or milliseconds, as OpenTSDB has them.
export const noteMs = (time: number) => (time < 1e11 ? time * 1e3 : time);

export function Chart(props: ChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const { model, dark, height, notes } = props;
  const [pin, setPin] = useState<number | null>(null);
  const kept = useRef<Kept>({ pin, cursor: null });
  kept.current.pin = pin;
  useEffect(() => charts.get(host.current!)?.redraw(false), [pin]);
  useEffect(() => {
    const element = host.current!;
    const drawn = draw(element, props, kept.current, setPin);
    const watch = new ResizeObserver(() => {
      if (element.clientWidth > 0) drawn.setSize({ width: element.clientWidth, height });
    });
    watch.observe(element);
    return () => {
      watch.disconnect();
      // Where the pointer still is: the box is shown again with the new answer.
      kept.current.cursor = { left: drawn.cursor.left ?? -1, top: drawn.cursor.top ?? 0 };
      drawn.destroy();
      element.replaceChildren();
    };
  }, [model, dark, height, notes]);
  return (
    <>
      <div ref={host} class="chart" role="img" tabIndex={0}
        aria-label={`Graph of ${model.drawn.length} series. Left and right arrow: move the crosshair. Enter: pin its values. ` +
          `Plus and minus: zoom. ${props.numbers ?? 'The table below has the numbers.'}`}
        onKeyDown={(event) => onKey(event, host.current!, props, setPin)} />
      {pin !== null && <Pinned key={pin} model={model} at={pin} onClose={() => setPin(null)} />}
    </>
  );
}

// What outlives a drawing.
interface Kept { pin: number | null; cursor: { left: number; top: number } | null }
type SetPin = (change: (old: number | null) => number | null) => void;

// Of the same instant again: unpins.
function pinAt(u: uPlot, { axis }: ChartModel, setPin: SetPin): void {
  const at = axis[u.cursor.idx ?? -1];
  if (at !== undefined) setPin((old) => (old === at ? null : at));
}

function draw(element: HTMLElement, { model, height, notes, onZoom, onNote, onReady }: ChartProps, kept: Kept, setPin: SetPin) {
  const options = optionsOf(model, themeOf(element), element.clientWidth || 600, height);
  const tooltip = new Tooltip(element);
  let focused = -1;
  options.hooks = {
    setCursor: [(u) => tooltip.show(u, model, focused)],
    setSeries: [(_u, index) => void (focused = index ?? -1)],
    setSelect: [(u) => {
      if (u.select.width < 4) return;
      onZoom(u.posToVal(u.select.left, 'x'), u.posToVal(u.select.left + u.select.width, 'x'));
    }],
    drawClear: [(u) => drawNoteLines(u, notes)],
    draw: [(u) => drawThreshold(u, model.threshold), (u) => drawPin(u, kept.pin)],
    ready: [(u) => placeNotes(u, notes, onNote), (u) => {
      if (kept.cursor && kept.cursor.left >= 0) u.setCursor(kept.cursor);
    }],
    setSize: [(u) => placeNotes(u, notes, onNote)],
  };
  const u = new uPlot(options, dataOf(model), element);
  u.over.addEventListener('mouseleave', () => tooltip.hide());
  u.over.addEventListener('click', () => pinAt(u, model, setPin)); // not after a drag
  bindTouch(u, model, onZoom);
  u.over.addEventListener('dblclick', () => zoomBy(model, 2, onZoom));
  charts.set(element, u);
  onReady?.(u);
  return u;
}

const charts = new WeakMap<HTMLElement, uPlot>();

export function zoomBy({ from, to }: ChartModel, factor: number, zoom: ChartProps['onZoom']): void {
  const half = ((to - from) * factor) / 2;
  zoom((from + to) / 2 - half, (from + to) / 2 + half);
}

function onKey(event: KeyboardEvent, element: HTMLElement, { model, onZoom }: ChartProps, setPin: SetPin): void {
  const u = charts.get(element);
  if (!u) return;
  const span = model.to - model.from;
  if (event.key === '+' || event.key === '=') zoomBy(model, 0.5, onZoom);
  else if (event.key === '-') zoomBy(model, 2, onZoom);
  else if (event.key === 'Enter') pinAt(u, model, setPin);
  else if (event.key === 'PageUp') onZoom(model.from - span / 2, model.to - span / 2);
  else if (event.key === 'PageDown') onZoom(model.from + span / 2, model.to + span / 2);
  else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
    const by = (event.key === 'ArrowLeft' ? -1 : 1) * (event.shiftKey ? 10 : 1);
    const at = Math.min(Math.max((u.cursor.idx ?? model.axis.length >> 1) + by, 0),
                        model.axis.length - 1);
    u.setCursor({ left: u.valToPos(model.axis[at] ?? model.from, 'x'), top: 20 });
  } else return;
  event.preventDefault();
}

const drawNoteLines = (u: uPlot, notes: Annotation[]) =>
  drawTimes(u, notes.map((note) => noteMs(note.startTime)), '#c2410c', [4, 4]);

const drawPin = (u: uPlot, pin: number | null) => drawTimes(u, pin === null ? [] : [pin], THRESHOLD_COLOR, []);

function drawTimes(u: uPlot, times: number[], color: string, dash: number[]): void {
  const { ctx, bbox } = u;
  ctx.save();
  ctx.strokeStyle = color;
  ctx.setLineDash(dash);
  for (const time of times) {
    const x = Math.round(u.valToPos(time, 'x', true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}

function drawThreshold(u: uPlot, threshold: number | null): void {
  if (threshold === null) return;
  const { ctx, bbox } = u;
  const y = Math.round(u.valToPos(threshold, 'y', true));
  if (!(y >= bbox.top && y <= bbox.top + bbox.height)) return;
  ctx.save();
  ctx.strokeStyle = THRESHOLD_COLOR;
  ctx.lineWidth = 2;
  ctx.setLineDash([10, 4]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.restore();
}

// Buttons on the axis, as only those can be reached by keyboard.
function placeNotes(u: uPlot, notes: Annotation[], onNote: ChartProps['onNote']): void {
  for (const old of u.root.querySelectorAll('.note')) old.remove();
  for (const note of notes) {
    const x = u.valToPos(noteMs(note.startTime), 'x');
    if (x < 0 || x > u.over.clientWidth) continue;
    const button = document.createElement('button');
    button.className = 'note';
    button.title = note.description || 'Note';
    button.setAttribute('aria-label', `Note: ${note.description}`);
    button.style.left = `${x + u.over.offsetLeft}px`;
    button.style.top = `${u.over.offsetTop}px`;
    button.addEventListener('click', () => onNote(note));
    u.root.append(button);
  }
}
