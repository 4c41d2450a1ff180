// One region: what is in it, and splitting or merging it.

import { useState } from 'preact/hooks';
import { send } from '../api/client';
import { Dialog, Problem } from '../ui/parts';
import { showNumber } from '../time/units';
import { startText, type Planned, type Region } from './region_space';

export function RegionDialog({ table, region, regions, onClose, onDone }: {
  table: string; region: Region; regions: Region[]; onClose: () => void; onDone: () => void;
}) {
  const [parts, setParts] = useState('2');
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const [plan, setPlan] = useState<{ note: string; daughters: Planned[] } | null>(null);
  const next = regions[regions.findIndex((one) => one.id === region.id) + 1];
  const act = (what: string, json: object, then: (answer: Response) => void = onDone) => {
    setBusy(true);
    setError(null);
    send(`api/admin/regions/${what}`, { method: 'POST', json: { table, ...json }, params: [['wait', 'true']] })
      .then(then).catch(setError).finally(() => setBusy(false));
  };
  const preview = (where: object) => act('split', { region: region.id, dryRun: true, ...where },
    (answer) => answer.json().then(setPlan, setError));
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
        <button disabled={busy} onClick={() => preview({ into: Number(parts) })}>Preview</button>
        <button disabled={busy} onClick={() => preview({ at: 'hottest' })}>Preview at the hottest key</button>
        {next && <button disabled={busy} onClick={() => act('merge', {
          regions: [region.id, next.id] })}>Merge with region {next.id}</button>}
      </div>
      {plan && <>
        <table>
          <thead><tr><th scope="col">Begins with</th><th scope="col" class="number">Size</th>
            <th scope="col" class="number">Writes</th></tr></thead>
          <tbody>{plan.daughters.map((one) => (
            <tr key={one.hex}><th scope="row"><bdi>{startText(one)}</bdi> <span class="soft mono">{one.hex}</span></th>
              <td class="number">{showNumber(one.bytes, 'bytes')}</td>
              <td class="number">{one.writeShare === undefined ? '?' : `${Math.round(one.writeShare * 100)} %`}</td></tr>
          ))}</tbody>
        </table>
        <p>{plan.note}</p>
        <button class="primary" disabled={busy} onClick={() => act('split', { region: region.id,
          ...(plan.daughters.length > 2 ? { into: plan.daughters.length } : { at: plan.daughters[1]!.start }) })}>
          Split</button>
      </>}
    </Dialog>
  );
}
