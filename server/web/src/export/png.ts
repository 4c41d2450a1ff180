// The graph as PNG: SVG text would need an image of its own, which pictures of names with any
// characters make slow; the canvas is there already.

import type uPlot from 'uplot';
import type { ChartModel } from '../plot/model';

const ROW = 20;

export async function toPng(u: uPlot, model: ChartModel, title: string, dark: boolean): Promise<Blob> {
  const ratio = devicePixelRatio || 1;
  const rows = model.drawn.slice(0, 40);
  const from = u.ctx.canvas;
  const canvas = document.createElement('canvas');
  canvas.width = from.width;
  canvas.height = from.height + (44 + rows.length * ROW) * ratio;
  const pen = canvas.getContext('2d')!;
  pen.fillStyle = dark ? '#12161d' : '#ffffff';
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(from, 0, 32 * ratio);
  pen.scale(ratio, ratio);
  pen.fillStyle = dark ? '#d7dce5' : '#1d2430';
  pen.font = '600 15px system-ui, sans-serif';
  pen.fillText(title, 12, 22);
  pen.font = '12px system-ui, sans-serif';
  rows.forEach((one, i) => {
    const y = from.height / ratio + 46 + i * ROW;
    pen.fillStyle = one.color;
    pen.fillRect(12, y - 9, 10, 10);
    pen.fillStyle = dark ? '#d7dce5' : '#1d2430';
    pen.fillText(one.series.label, 30, y);
  });
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('No picture'))), 'image/png'));
}

export function download(content: Blob | string, name: string, type = ''): void {
  const blob = typeof content === 'string' ? new Blob([content], { type }) : content;
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10e3);
}
