// The key space as a picture: regions side by side in the order of their keys, their sizes, and the
// writes and reads of each.

import { useMemo, useState } from 'preact/hooks';
import { getJson } from '../api/client';
import { can } from '../api/roles';
import { HeatMap, highest } from '../plot/heat';
import { go, page } from '../state/page';
import { useStore } from '../state/store';
import { showTime } from '../time/time';
import { plural, showNumber } from '../time/units';
import { useAnswer, useTick } from '../ui/hooks';
import { Choice, Problem } from '../ui/parts';
import { MEASURES, heatOfLoads, showLoad, type Loads, type Measure } from './loads';
import { RegionDialog } from './region_dialog';
import { layOut, nameOf, startText, type Region } from './region_space';

const POLL_MS = 3000;

export function RegionsView() {
  const rights = useStore(can);
  const table = useStore(page).table || 'data';
  const [chosen, setChosen] = useState<Region | null>(null);
  const [changes, setChanges] = useState(0);
  const tick = useTick(POLL_MS);
  const { value, error } = useAnswer((signal) => getJson<{ regions: Region[] }>('api/admin/regions', {
    params: [['table', table], ['explain', 'true']], signal }), [table, tick, changes]);
  const regions = value?.regions ?? [];
  if (!rights.admin) {
    return <main><h1>Regions</h1><p class="empty">Regions are shown to admins.</p></main>;
  }
  return (
    <main class="regions">
      <div class="toolbar">
        <h1>Regions</h1>
        <label class="check">Table <input class="short" value={table}
          onChange={(event) => go({ table: event.currentTarget.value })} /></label>
        <p class="status" role="status">{value && `${plural(regions.length, 'region')}, ${showNumber(
          regions.reduce((sum, one) => sum + one.fileBytes + one.memoryBytes, 0), 'bytes')}`}</p>
      </div>
      <Problem error={error} />
      <Strip regions={regions} onChoose={setChosen} />
      {table === 'data' && <LoadMap changes={changes} />}
      <RegionTable regions={regions} onChoose={setChosen} />
      {chosen && <RegionDialog table={table} region={chosen} regions={regions}
        onClose={() => setChosen(null)} onDone={() => {
          setChosen(null);
          setChanges(changes + 1);
        }} />}
    </main>
  );
}

// The width of a region is its share of all bytes, but wide enough to be clicked.
function Strip({ regions, onChoose }: { regions: Region[]; onChoose: (region: Region) => void }) {
  return (
    <div class="strip" role="group" aria-label="Regions in the order of their keys">
      {layOut(regions).map(({ region, part, shade }) => (
        <button key={region.id} style={{ flexGrow: part, '--heat': shade.toFixed(2) }}
          title={`${startText(region)}\n${showNumber(region.fileBytes, 'bytes')} in ${region.files} files, ` +
            `${showNumber(region.memoryBytes, 'bytes')} in memory`}
          onClick={() => onChoose(region)}>
          <span>{nameOf(region)}</span><span class="sr">, region {region.id}, from {startText(region)}</span>
        </button>
      ))}
    </div>
  );
}

const LOADS_MS = 10e3;
const WORDS: Record<Measure, string> = {
  points_written: 'Points written', rows_written: 'Rows sealed', rows_read: 'Rows read',
  rows_blocked: 'Rows that waited', bytes: 'Size',
};
const MAP_HEIGHT = 240;
const EVENTS_MAX = 12;

// The last two hours: writes and reads of the regions, splits and merges.
function LoadMap({ changes }: { changes: number }) {
  const { tz, measure: chosen } = useStore(page);
  const measure = MEASURES.find((one) => one === chosen) ?? MEASURES[0];
  const tick = useTick(LOADS_MS);
  const { value, error } = useAnswer((signal) => getJson<Loads>('api/admin/regions/loads', {
    params: [['explain', 'true']], signal }), [tick, changes]);
  const model = useMemo(() => value && heatOfLoads(value, measure, tz), [value, measure, tz]);
  const most = useMemo(() => (model ? highest(model) : 0), [model]);
  return (
    <section class="panel stack" aria-label="Load over time">
      <header>
        <h2>Load over time</h2>
        <Choice label="What the map shows" value={measure} onChange={(next) => go({ measure: next })}
          options={MEASURES.map((one) => [one, WORDS[one]] as [Measure, string])} />
        {most > 0 && <span class="soft">darkest: {showLoad(most, measure)}; keys from top to bottom</span>}
      </header>
      <Problem error={error} />
      {model && (most > 0
        ? <HeatMap model={model} height={MAP_HEIGHT} label={`${WORDS[measure]} by region, over time`} />
        : <p class="empty">{model.steps ? 'Nothing of this in the last two hours.' : 'The first step is not over yet.'}</p>)}
      {value && value.events.length > 0 && (
        <ul class="events" aria-label="Splits and merges">
          {value.events.slice(-EVENTS_MAX).reverse().map((event) => (
            <li key={event.text}><time>{showTime(event.time_ms, tz)}</time> <bdi>{event.text}</bdi></li>
          ))}
        </ul>
      )}
    </section>
  );
}

function RegionTable({ regions, onChoose }: {
  regions: Region[]; onChoose: (region: Region) => void;
}) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="List of regions">
      <table>
        <thead><tr><th scope="col">Region</th><th scope="col">Starts with</th><th scope="col">Key</th>
          <th scope="col" class="number">Files</th><th scope="col" class="number">On disk</th>
          <th scope="col" class="number">In memory</th><th scope="col">State</th></tr></thead>
        <tbody>
          {regions.slice(0, 500).map((region) => (
            <tr key={region.id}>
              <th scope="row"><button class="link" onClick={() => onChoose(region)}>{region.id}</button></th>
              <td><bdi>{startText(region)}</bdi></td><td class="mono">{region.start || '–'}</td>
              <td class="number">{region.files}</td>
              <td class="number">{showNumber(region.fileBytes, 'bytes')}</td>
              <td class="number">{showNumber(region.memoryBytes, 'bytes')}</td>
              <td>{region.state}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
