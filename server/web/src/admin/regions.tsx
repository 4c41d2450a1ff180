// The key space as a picture: regions side by side in the order of their keys, how large they are,
// and how they grow.

import { useEffect, useState } from 'preact/hooks';
import { getJson } from '../api/client';
import { can } from '../api/roles';
import { useStore } from '../state/store';
import { plural, showNumber } from '../time/units';
import { useAnswer, useTick } from '../ui/hooks';
import { Problem } from '../ui/parts';
import { Heat } from './heat';
import { RegionDialog } from './region_dialog';
import { layOut, nameOf, remember, startText, type Region, type Shot } from './region_space';

const POLL_MS = 3000;

export function RegionsView() {
  const rights = useStore(can);
  const [table, setTable] = useState('data');
  const [chosen, setChosen] = useState<Region | null>(null);
  const [changes, setChanges] = useState(0);
  const [shots, setShots] = useState<Shot[]>([]);
  const tick = useTick(POLL_MS);
  const { value, error } = useAnswer((signal) => getJson<{ regions: Region[] }>('api/admin/regions', {
    params: [['table', table], ['explain', 'true']], signal }), [table, tick, changes]);
  useEffect(() => {
    setShots([]);
  }, [table]);
  useEffect(() => {
    if (value) setShots((old) => remember(old, value.regions, Date.now()));
  }, [value]);
  const regions = value?.regions ?? [];
  if (!rights.admin) {
    return <main><h1>Regions</h1><p class="empty">Regions are shown to admins.</p></main>;
  }
  return (
    <main class="regions">
      <div class="toolbar">
        <h1>Regions</h1>
        <label class="check">Table <input class="short" value={table}
          onChange={(event) => setTable(event.currentTarget.value)} /></label>
        <p class="status" role="status">{value && `${plural(regions.length, 'region')}, ${showNumber(
          regions.reduce((sum, one) => sum + one.fileBytes + one.memoryBytes, 0), 'bytes')}`}</p>
      </div>
      <Problem error={error} />
      <Strip regions={regions} onChoose={setChosen} />
      <Heat shots={shots} regions={regions} />
      <Events shots={shots} />
      <RegionTable regions={regions} onChoose={setChosen} />
      {chosen && <RegionDialog table={table} region={chosen} regions={regions}
        onClose={() => setChosen(null)} onDone={() => {
          setChosen(null);
          setChanges(changes + 1);
        }} />}
    </main>
  );
}

// Each region as wide as its part of all bytes, but never too narrow to be hit.
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

function Events({ shots }: { shots: Shot[] }) {
  const events = shots.flatMap((shot) => shot.events.map((text) => ({ at: shot.at, text })));
  if (events.length === 0) return null;
  return (
    <ul class="events" aria-label="Splits and merges">
      {events.slice(-8).map(({ at, text }) => (
        <li key={at + text}><time>{new Date(at).toLocaleTimeString()}</time> {text}</li>
      ))}
    </ul>
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
