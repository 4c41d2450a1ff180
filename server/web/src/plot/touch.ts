// Fingers on a chart: one selects a range as the mouse does, two stretch the range. A vertical move
// scrolls the page (touch-action).

import type uPlot from 'uplot';
import type { ChartModel } from './model';

interface Finger { from: number; to: number } // pixels from the left

// The range in which the instants below two fingers have moved with them.
export function stretched({ from, to }: Pick<ChartModel, 'from' | 'to'>, width: number, one: Finger, other: Finger): [number, number] {
  const perPixel = (to - from) / width;
  const scale = (other.from - one.from) / (other.to - one.to || NaN);
  const start = from + perPixel * (one.from - one.to * scale);
  return [start, start + perPixel * width * scale];
}

export function bindTouch(u: uPlot, model: ChartModel, onZoom: (from: number, to: number) => void): void {
  const fingers = new Map<number, Finger>();
  const xOf = (event: PointerEvent) => event.clientX - u.over.getBoundingClientRect().left;
  // uPlot ignores a drag that moves by 0.
  const asMouse = (kind: string, { clientX, clientY }: PointerEvent) =>
    u.over.dispatchEvent(new MouseEvent(kind, { clientX, clientY, movementX: 1, bubbles: true }));
  const on = (kind: 'pointerdown' | 'pointermove' | 'pointerup' | 'pointercancel', then: (event: PointerEvent) => void) =>
    u.over.addEventListener(kind, (event) => event.pointerType === 'touch' && then(event));
  on('pointerdown', (event) => {
    fingers.set(event.pointerId, { from: xOf(event), to: xOf(event) });
    asMouse('mousemove', event);
    if (fingers.size === 1) asMouse('mousedown', event);
  });
  on('pointermove', (event) => {
    const finger = fingers.get(event.pointerId);
    if (finger) finger.to = xOf(event);
    if (fingers.size === 1) asMouse('mousemove', event);
  });
  on('pointerup', (event) => {
    const [one, other] = [...fingers.values()];
    if (one && other) {
      const [from, to] = stretched(model, u.over.clientWidth, one, other);
      fingers.clear();
      if (from < to) onZoom(from, to);
    } else if (fingers.delete(event.pointerId)) asMouse('mouseup', event);
  });
  on('pointercancel', () => fingers.clear());
}
