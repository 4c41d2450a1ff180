// One region: what is in it, and splitting or merging it.

import { useState } from 'preact/hooks';
import { send } from '../api/client';
import { Dialog, Problem } from '../ui/parts';
import { showNumber } from '../time/units';
import { startText, type Region } from './region_space';

export function RegionDialog({ table, region, regions, onClose, onDone }: {
  table: string; region: Region; regions: Region[]; onClose: () => void; onDone: () => void;
}) {
  const [parts, setParts] = useState('2');
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const next = regions[regions.findIndex((one) => one.id === region.id) + 1];
  const act = (what: string, json: unknown) => {
    setBusy(true);
    send(`api/admin/regions/${what}`, { method: 'POST', json, params: [['wait', 'true']] })
      .then(onDone, setError).finally(() => setBusy(false));
  };
  return (
    <Dialog title={`Region ${region.id}`} onClose={onClose}>
      <dl>
        <dt>Begins with</dt><dd><bdi>{startText(region)}</bdi></dd>
        <dt>Ends before</dt><dd>{next ? <bdi>{startText(next)}</bdi> : 'the end'}</dd>
        <dt>On disk</dt><dd>{showNumber(region.fileBytes, 'bytes')} in {region.files} files</dd>
        <dt>In memory</dt><dd>{showNumber(region.memoryBytes, 'bytes')}</dd>
        <dt>Name</dt><dd class="mono">{region.name}</dd>
      </dl>
      <Problem error={error} />
      <div class="row">
        <label class="check">Split into <input class="short" type="number" min="2" max="1024"
          value={parts} onInput={(event) => setParts(event.currentTarget.value)} /> parts</label>
        <button disabled={busy} onClick={() => act('split', {
          table, region: region.id, into: Number(parts) })}>Split</button>
        {next && <button disabled={busy} onClick={() => act('merge', {
          table, regions: [region.id, next.id] })}>Merge with region {next.id}</button>}
      </div>
    </Dialog>
  );
}
