// Annotations: seen, made, changed, removed.

import { useState } from 'preact/hooks';
import { send } from '../api/client';
import { can } from '../api/roles';
import type { Annotation, Answer } from '../api/stream';
import { noteMs } from '../plot/chart';
import { parseTime, printTime, showTime } from '../time/time';
import { Dialog, Problem } from '../ui/parts';

export function notesOf(answers: Answer[]): Annotation[] {
  const found = new Map<string, Annotation>();
  for (const answer of answers) {
    for (const note of [...(answer.annotations ?? []), ...(answer.globalAnnotations ?? [])]) {
      found.set(`${note.tsuid} ${note.startTime}`, note);
    }
  }
  return [...found.values()].sort((a, b) => noteMs(a.startTime) - noteMs(b.startTime));
}

export function newNote(ms: number): Annotation {
  return { tsuid: null, startTime: Math.round(ms / 1e3), endTime: 0, description: '', notes: '' };
}

export function NoteDialog({ note, tz, onClose, onDone }: {
  note: Annotation; tz: string; onClose: () => void; onDone: () => void;
}) {
  const [time, setTime] = useState(printTime(noteMs(note.startTime), tz));
  const [description, setDescription] = useState(note.description);
  const [text, setText] = useState(note.notes);
  const [error, setError] = useState<unknown>(null);
  const isNew = note.description === '' && note.notes === '';
  const ms = parseTime(time, Date.now(), tz);
  const id = (startTime: number) => ({ startTime, ...(note.tsuid && { tsuid: note.tsuid }) });
  const act = (work: Promise<unknown>) => work.then(onDone, setError);
  const save = () => act(send('api/annotation', {
    // Replaces: a merge cannot empty a text.
    method: isNew ? 'POST' : 'PUT',
    json: { ...note, ...id(isNew ? Math.round(ms / 1e3) : note.startTime), description, notes: text },
  }));
  if (!can.get().write) return <ReadNote note={note} tz={tz} onClose={onClose} />;
  return (
    <Dialog title={isNew ? 'New note' : 'Note'} onClose={onClose}>
      <form class="form" onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}>
        <label>Time <input value={time} disabled={!isNew}
          onInput={(event) => setTime(event.currentTarget.value)} /></label>
        <label>What happened <input required value={description}
          onInput={(event) => setDescription(event.currentTarget.value)} /></label>
        <label>Details <textarea rows={4} value={text}
          onInput={(event) => setText(event.currentTarget.value)} /></label>
        <p class="soft">{note.tsuid ? 'Belongs to one series.' : 'Shown on all graphs.'}</p>
        <Problem error={error} />
        <div class="row">
          <button class="primary" disabled={Number.isNaN(ms)}>Save</button>
          {!isNew && <button type="button" onClick={() => void act(send('api/annotation', {
            method: 'DELETE', json: id(note.startTime) }))}>Remove</button>}
        </div>
      </form>
    </Dialog>
  );
}

function ReadNote({ note, tz, onClose }: { note: Annotation; tz: string; onClose: () => void }) {
  return (
    <Dialog title="Note" onClose={onClose}>
      <p class="soft">{showTime(noteMs(note.startTime), tz)}</p>
      <p><bdi>{note.description}</bdi></p>
      <p class="prewrap"><bdi>{note.notes}</bdi></p>
    </Dialog>
  );
}
