// Growth as a heat map: regions from left to right, time from top to bottom.

import { useEffect, useRef } from 'preact/hooks';
import { showNumber } from '../time/units';
import { layOut, type Region, type Shot } from './region_space';

const HEIGHT = 180;

export function Heat({ shots, regions }: { shots: Shot[]; regions: Region[] }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const most = Math.max(1, ...shots.flatMap((shot) => [...shot.grown.values()]));
  useEffect(() => paint(canvas.current!, shots, regions, most));
  const hasGrown = shots.some((shot) => [...shot.grown.values()].some((bytes) => bytes > 0));
  const minutes = shots.length > 1
    ? Math.max(1, Math.round((shots[shots.length - 1]!.at - shots[0]!.at) / 60e3)) : 0;
  return (
    <figure class="heat">
      <canvas ref={canvas} height={HEIGHT} hidden={!hasGrown} role="img"
        aria-label="How much each region grew, over time" />
      <figcaption class="soft">
        {hasGrown
          ? `Growth of each region since this page was opened (${minutes} min, newest at the bottom); ` +
            `darkest = ${showNumber(most, 'bytes/s')}. Reads are not counted by region.`
          : 'No region has grown since this page was opened. Points of open hours are in the journal ' +
            'until they are sealed into a region.'}
      </figcaption>
    </figure>
  );
}

function paint(canvas: HTMLCanvasElement, shots: Shot[], regions: Region[], most: number): void {
  canvas.width = canvas.clientWidth || 600;
  const pen = canvas.getContext('2d')!;
  const color = getComputedStyle(canvas).getPropertyValue('--accent').trim();
  const places = layOut(regions);
  const total = places.reduce((sum, one) => sum + one.part, 0) || 1;
  const row = Math.max(2, Math.min(12, HEIGHT / Math.max(shots.length, 1)));
  pen.fillStyle = color;
  shots.forEach((shot, i) => {
    let x = 0;
    for (const { region, part } of places) {
      const width = (part / total) * canvas.width;
      // Its square root: small loads can be seen beside a large one.
      pen.globalAlpha = Math.sqrt((shot.grown.get(region.id) ?? 0) / most);
      pen.fillRect(x, i * row, Math.max(1, width - 1), row);
      x += width;
    }
  });
}
