// Simulations side by side: figures, heat maps, regions, what happened, what to expect.

import { HeatMap } from '../plot/heat';
import { showTime } from '../time/time';
import { showCount, showNumber } from '../time/units';
import { figuresOf, heatOf, keyOf, type Simulated } from './result';

const ROWS_MAX = 40;
const HEAT_HEIGHT = 220;

export function LabReport({ results }: { results: Simulated[] }) {
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label="Designs compared">
        <table>
          <thead><tr><th scope="col">Figure</th>{results.map((one, i) => (
            <th key={i} scope="col" class="number"><bdi>{one.design.name}</bdi></th>))}</tr></thead>
          <tbody>
            {figuresOf(results).map(({ title, texts, best }) => (
              <tr key={title}><th scope="row">{title}</th>
                {texts.map((text, i) => <td key={i} class={best[i] ? 'number best' : 'number'}>{text}</td>)}</tr>
            ))}
          </tbody>
        </table>
      </div>
      <div class="columns results">{results.map((one, i) => <OneResult key={i} result={one} />)}</div>
    </>
  );
}

function OneResult({ result }: { result: Simulated }) {
  const { design, regions, timeline, predictions, totals } = result;
  const hottest = [...regions].sort((a, b) => b.puts - a.puts).slice(0, ROWS_MAX);
  return (
    <section class="panel stack" aria-label={`Result of ${design.name}`}>
      <header><h2><bdi>{design.name}</bdi></h2><span class="soft">{design.fields}, {design.policy}</span></header>
      <ul class="predictions">
        {predictions.map((one) => (
          <li key={one.kind}><span class={one.level === 'warning' ? 'chip failed' : 'chip'}>{one.kind}</span> {one.text}</li>
        ))}
        {predictions.length === 0 && <li class="soft">Nothing to warn of.</li>}
      </ul>
      {result.heat && result.heat.steps > 0 && (
        <HeatMap model={heatOf(result)} height={HEAT_HEIGHT}
          label={`Puts of ${design.name} by key, from top to bottom, and time, from left to right`} />
      )}
      <details>
        <summary>{showCount(regions.length)} regions</summary>
        <table>
          <thead><tr><th scope="col">Starts with</th><th scope="col" class="number">Puts</th>
            <th scope="col" class="number">To the mean</th><th scope="col" class="number">Size</th>
            <th scope="col" class="number">Hot share</th></tr></thead>
          <tbody>
            {hottest.map((region) => (
              <tr key={region.id}>
                <th scope="row"><bdi>{region.start_text || 'the first key'}</bdi>{' '}
                  {region.start && <span class="soft mono">{region.start}</span>}</th>
                <td class="number">{showNumber(region.puts)}</td>
                <td class="number">{showNumber(region.puts * regions.length / ((totals.puts ?? 0) || 1))}</td>
                <td class="number">{showNumber(region.file_bytes + region.memory_bytes, 'bytes')}</td>
                <td class="number">{showNumber(region.hot_share * 100)} %</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
      <details>
        <summary>{showCount(timeline.length)} splits, merges and stalls</summary>
        <ul class="events">
          {timeline.slice(0, ROWS_MAX).map((event, i) => (
            <li key={i}><time>{showTime(event.time_ms, 'UTC')}</time> {event.kind} of region {event.region}{' '}
              at <bdi>{keyOf(event.key_text, event.key)}</bdi>{event.cause && `, by ${event.cause}`}; {showCount(event.regions)} regions</li>
          ))}
        </ul>
      </details>
    </section>
  );
}
