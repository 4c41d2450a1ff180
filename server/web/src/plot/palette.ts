// Colours of series. Neighbours differ in hue and in lightness, and all can be told from a white
// and from a dark background.
const HUES = ['#3b7ddd', '#e2662f', '#2f9e63', '#b04fc4', '#d19a00', '#d6336c', '#12a5b5', '#7a6ff0',
  '#6b8e23', '#c0554a', '#4a90a4', '#a0703c'];

export const THRESHOLD_COLOR = '#d32f2f';

export function colorOf(index: number): string {
  return HUES[index % HUES.length]!;
}

export function fade(color: string, alpha: number): string {
  const [r, g, b] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return `rgba(${r}, ${g}, ${b}, ${alpha})`;
}
