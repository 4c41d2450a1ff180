// A small chart without axes.

import { breakHoles } from './align';

type Points = [number, number][];

// The points between holes.
export function runsOf(points: Points): [Points[number], ...Points][] {
  const { after } = breakHoles(points.map(([ms]) => ms));
  const ends = [...after, points.length - 1];
  return ends.map((end, i) => points.slice(i ? ends[i - 1]! + 1 : 0, end + 1) as [Points[number], ...Points]);
}

// The lowest and the highest value.
export function limitsOf(points: Points): [number, number] {
  const ys = points.map((point) => point[1]);
  return [ys.reduce((a, b) => Math.min(a, b), Infinity), ys.reduce((a, b) => Math.max(a, b), -Infinity)];
}

// `limits` are those of the axis; without them, those of the points. The background is darker from the
// time `mark` on.
export function Sparkline({ points, from, to, label, limits, mark = to }: {
  points: Points; from: number; to: number; label: string; limits?: [number, number] | undefined; mark?: number;
}) {
  if (points.length === 0) return <div class="spark" role="img" aria-label={label} />;
  const [low, high] = limits ?? limitsOf(points);
  const x = (ms: number) => ((ms - from) / (to - from || 1)) * 200;
  const y = (v: number) => 44 - (high === low ? (low === 0 ? 0 : 0.5) : (v - low) / (high - low)) * 40;
  const place = ([ms, v]: [number, number]) => `${x(ms).toFixed(1)} ${y(v).toFixed(1)}`;
  const runs = runsOf(points);
  const lines = runs.map((run) => `M${run.map(place).join('L')}`);
  const area = runs.map((run, i) => `${lines[i]}L${x(run[run.length - 1]![0]).toFixed(1)} 48L${x(run[0]![0]).toFixed(1)} 48Z`);
  return (
    <svg class="spark" viewBox="0 0 200 48" preserveAspectRatio="none" role="img" aria-label={label}>
      {mark < to && <rect class="marked" x={x(mark)} width={x(to) - x(mark)} height="48" />}
      <path class="fill" d={area.join('')} />
      <path class="stroke" d={lines.join('')} vector-effect="non-scaling-stroke" />
      {runs.filter((run) => run.length === 1).map(([[ms, v]]) => <circle key={ms} cx={x(ms)} cy={y(v)} r="2" class="dot1" />)}
    </svg>
  );
}
