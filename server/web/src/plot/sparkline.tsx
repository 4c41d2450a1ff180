// A small chart without axes.

export function Sparkline({ points, from, to, label }: {
  points: [number, number][]; from: number; to: number; label: string;
}) {
  if (points.length === 0) return <div class="spark" role="img" aria-label={label} />;
  const ys = points.map((point) => point[1]);
  const low = Math.min(...ys);
  const high = Math.max(...ys);
  const x = (ms: number) => ((ms - from) / (to - from)) * 200;
  const y = (v: number) => 44 - (high === low ? (low === 0 ? 0 : 0.5) : (v - low) / (high - low)) * 40;
  const path = points.map(([ms, v], i) => `${i ? 'L' : 'M'}${x(ms).toFixed(1)} ${y(v).toFixed(1)}`);
  const end = points[points.length - 1]!;
  const area = `${path.join('')}L${x(end[0]).toFixed(1)} 48L${x(points[0]![0]).toFixed(1)} 48Z`;
  return (
    <svg class="spark" viewBox="0 0 200 48" preserveAspectRatio="none" role="img" aria-label={label}>
      <path class="fill" d={area} />
      <path class="stroke" d={path.join('')} vector-effect="non-scaling-stroke" />
      {points.length === 1 && <circle cx={x(end[0])} cy={y(end[1])} r="2" class="dot1" />}
    </svg>
  );
}
