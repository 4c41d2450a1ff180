// The series of a metric that started or ended lately.

import { churnOf, type Churned } from '../api/names';
import { printName, printValue } from '../query/print';
import { go, graphOf, page } from '../state/page';
import { useStore } from '../state/store';
import { showTime } from '../time/time';
import { showCount } from '../time/units';
import { useAnswer } from '../ui/hooks';
import { Choice, Problem } from '../ui/parts';

const RANGES: [string, string][] = [['1h-ago', 'hour'], ['1d-ago', 'day'], ['1w-ago', 'week'], ['30d-ago', '30 days']];

export function Churn({ metric, changes = 0 }: { metric: string; changes?: number }) {
  const { since } = useStore(page);
  const [start] = RANGES.find(([key]) => key === since) ?? RANGES[1]!;
  const { value, error } = useAnswer((signal) => churnOf(metric, start, signal), [metric, start, changes]);
  const total = value ? value.started + value.ended : 0;
  return (
    <section class="panel churn" aria-label="Series that started or ended">
      <header>
        <h2>Started or ended in the last</h2>
        <Choice label="Range of churn" value={start} options={RANGES} onChange={(next) => go({ since: next })} />
        <p class="soft" role="status">{value && `${showCount(total)} of ${showCount(value.series)} series${
          value.list.length < total ? `; the latest ${showCount(value.list.length)} are listed` : ''}`}</p>
      </header>
      <Problem error={error} />
      <ul class="values-list">
        {value?.list.map((one) => <Row key={one.tsuid} metric={metric} one={one} />)}
      </ul>
    </section>
  );
}

function Row({ metric, one }: { metric: string; one: Churned }) {
  const { tz } = page.get();
  const print = (ms: number) => showTime(ms, tz).slice(0, 16);
  const seconds = (ms: number) => String(Math.floor(ms / 1e3));
  const tags = Object.entries(one.tags);
  // A quarter of an hour more: its points may be few.
  const range = { start: seconds(one.first - 900e3), end: one.change === 'ended' ? seconds(one.last + 900e3) : '' };
  return (
    <li>
      <a href={graphOf(metric, tags, range)}><bdi>{tags.map(([tagk, tagv]) => `${printName(tagk)}=${printValue(tagv)}`).join(', ') || metric}</bdi></a>
      <span class={one.change === 'ended' ? 'stale' : 'soft'}>{one.change}</span>
      <span class="number">{print(one.change === 'ended' ? one.last : one.first)}</span>
    </li>
  );
}
