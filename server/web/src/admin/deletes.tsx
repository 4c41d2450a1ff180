// Deletes whose points are still stored, and their undo.

import { useState } from 'preact/hooks';
import { deletions, listDeletions, undoDelete, undoMs, type Deletion } from '../api/change';
import { page } from '../state/page';
import { useStore } from '../state/store';
import { showSpan, showTime } from '../time/time';
import { plural } from '../time/units';
import { useAnswer } from '../ui/hooks';
import { Problem } from '../ui/parts';

// Says until when the delete `id` can be undone, and undoes it.
export function UndoOf({ id, onDone }: { id: number; onDone: () => void }) {
  const { value, error } = useAnswer(listDeletions, []);
  const [isUndone, setUndone] = useState(false);
  const one = value?.find((deletion) => deletion.id === id);
  if (isUndone) return <p role="status">Undone: the points are back.</p>;
  return (
    <>
      <Problem error={error} />
      {one && <p>Until {showTime(one.undoUntil, page.get().tz)}, Server › Deletes can undo this, too.</p>}
      {one && <Undo one={one} onDone={() => {
        setUndone(true);
        onDone();
      }} />}
    </>
  );
}

function Undo({ one, onDone }: { one: Deletion; onDone: () => void }) {
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  return (
    <>
      <button disabled={busy} aria-label={`Undo delete ${one.id}`} onClick={() => {
        setBusy(true);
        undoDelete(one.id).then(onDone, setError).finally(() => setBusy(false));
      }}>Undo</button>
      <Problem error={error} />
    </>
  );
}

// The last time of a point.
const LAST_MS = 4294967295e3;

export function Deletes() {
  const edits = useStore(deletions);
  const { tz } = useStore(page);
  const { value, error } = useAnswer(listDeletions, [edits]);
  const undo = useAnswer(undoMs, []).value;
  const time = (ms: number) => showTime(ms, tz).slice(0, 16);
  return (
    <>
      <p class="soft">{undo === 0 ? 'New deletes cannot be undone: tsd.storage.undo is 0.'
        : undo && `A delete can be undone for ${showSpan(undo)}.`}</p>
      <Problem error={error} />
      {value?.length === 0 && <p class="soft">No points of deletes are stored.</p>}
      {value && value.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Deletes">
          <table>
            <thead><tr><th scope="col">Deleted</th><th scope="col">Series</th><th scope="col">From</th>
              <th scope="col">To</th><th scope="col">Undo</th></tr></thead>
            <tbody>{[...value].reverse().map((one) => (
              <tr key={one.id}>
                <th scope="row">{time(one.deleted)}</th>
                <td>{plural(one.series, 'series', 'series')} of <bdi>{one.metrics.join(', ')}</bdi></td>
                <td>{one.start < 2e3 ? 'the first' : time(one.start)}</td>
                <td>{one.end >= LAST_MS ? 'the last' : time(one.end)}</td>
                <td>{one.canBeUndone ? <><Undo one={one} onDone={() => {}} /> until {time(one.undoUntil)}</>
                  : 'is being removed from disk'}</td>
              </tr>
            ))}</tbody>
          </table>
        </div>
      )}
    </>
  );
}
