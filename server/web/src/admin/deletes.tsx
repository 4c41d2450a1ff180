// Deletes whose points are still stored, renames and shortened TTLs, and the undo of each.

import { useState } from 'preact/hooks';
import { deletions, listUndo, undo, undoMs, type Change } from '../api/change';
import { page } from '../state/page';
import { useStore } from '../state/store';
import { showSpan, showTime } from '../time/time';
import { plural } from '../time/units';
import { useAnswer } from '../ui/hooks';
import { Problem } from '../ui/parts';

// Shows how long the delete `id` can be undone, and a button that undoes it.
export function UndoOf({ id, onDone }: { id: number; onDone: () => void }) {
  const { value, error } = useAnswer(listUndo, []);
  const [isUndone, setUndone] = useState(false);
  const one = value?.deletions.find((deletion) => deletion.id === id);
  if (isUndone) return <p role="status">Undone: the points are back.</p>;
  return (
    <>
      <Problem error={error} />
      {one && <p>Until {showTime(one.undoUntil, page.get().tz)}, Server › Deletes can undo this, too.</p>}
      {one && <Undo id={id} what="delete" onDone={() => {
        setUndone(true);
        onDone();
      }} />}
    </>
  );
}

function Undo({ id, what, onDone }: { id: number; what: string; onDone: () => void }) {
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  return (
    <>
      <button disabled={busy} aria-label={`Undo ${what} ${id}`} onClick={() => {
        setBusy(true);
        undo(id).then(onDone, setError).finally(() => setBusy(false));
      }}>Undo</button>
      <Problem error={error} />
    </>
  );
}

const ttlText = (s?: number) => (s === undefined ? 'that of the store' : s ? showSpan(s * 1e3) : 'no limit');

const changeText = ({ kind, type, oldName, name, metric, before, since }: Change) => (kind === 'rename'
  ? `${type}: ${oldName} became ${name}`
  : `TTL of ${metric ?? 'the store'}: ${ttlText(before)} became ${ttlText(since)}`);

// The last time of a point.
const LAST_MS = 4294967295e3;

export function Deletes() {
  const edits = useStore(deletions);
  const { tz } = useStore(page);
  const { value, error } = useAnswer(listUndo, [edits]);
  const forMs = useAnswer(undoMs, []).value;
  const time = (ms: number) => showTime(ms, tz).slice(0, 16);
  return (
    <>
      <p class="soft">{forMs === 0 ? 'New deletes cannot be undone: tsd.storage.undo is 0.'
        : forMs && `A delete, a rename or a shorter TTL can be undone for ${showSpan(forMs)}.`}</p>
      <Problem error={error} />
      {value?.deletions.length === 0 && <p class="soft">No points of deletes are stored.</p>}
      {value && value.deletions.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Deletes">
          <table>
            <thead><tr><th scope="col">Deleted</th><th scope="col">Series</th><th scope="col">From</th>
              <th scope="col">To</th><th scope="col">Undo</th></tr></thead>
            <tbody>{[...value.deletions].reverse().map((one) => (
              <tr key={one.id}>
                <th scope="row">{time(one.deleted)}</th>
                <td>{plural(one.series, 'series', 'series')} of <bdi>{one.metrics.join(', ')}</bdi></td>
                <td>{one.start < 2e3 ? 'the first' : time(one.start)}</td>
                <td>{one.end >= LAST_MS ? 'the last' : time(one.end)}</td>
                <td>{one.canBeUndone ? <><Undo id={one.id} what="delete" onDone={() => {}} /> until {time(one.undoUntil)}</>
                  : 'is being removed from disk'}</td>
              </tr>
            ))}</tbody>
          </table>
        </div>
      )}
      {value && value.changes.length > 0 && (
        <ul aria-label="Other changes">{[...value.changes].reverse().map((one) => (
          <li key={one.id}>{time(one.changed)} <bdi>{changeText(one)}</bdi> <Undo id={one.id} what="change"
            onDone={() => {}} /> until {time(one.undoUntil)}</li>
        ))}</ul>
      )}
    </>
  );
}
