// A view as text.

import { useRef, useState } from 'preact/hooks';
import { ApiError, explain } from '../api/client';
import { removeView, saveView } from '../api/views';
import { Dialog, Problem } from '../ui/parts';
import { placeIn } from './document';

// A new view has the name ''.
export function EditView({ name, text, etag, onClose, onDone }: {
  name: string; text: string; etag: string; onClose: () => void; onDone: (name: string) => void;
}) {
  const [called, setCalled] = useState(name);
  const [typed, setTyped] = useState(text);
  const [error, setError] = useState<unknown>(null);
  const [asks, setAsks] = useState(false);
  const area = useRef<HTMLTextAreaElement>(null);
  const show = (problem: unknown) => {
    setError(problem);
    const at = placeIn(typed, explain(problem));
    if (at < 0) return;
    area.current!.focus();
    area.current!.setSelectionRange(at, at + 1);
  };
  // Under another name: the new view first, so that a failure loses nothing.
  const store = async (tag: string | null) => {
    const next = called.trim();
    const moves = name !== '' && next !== name;
    await saveView(next, typed, moves ? '' : tag);
    if (moves) await removeView(name, etag);
    onDone(next);
  };
  const save = (tag: string | null) => store(tag).catch(show);
  const close = () => {
    if ((typed === text && called === name) || asks) return onClose();
    setAsks(true);
    return false;
  };
  return (
    <Dialog title={name ? `Edit ${name}` : 'New view'} onClose={close} wide>
      <form class="form" onSubmit={(event) => {
        event.preventDefault();
        void save(etag);
      }}>
        <label>Name <input required maxLength={200} value={called}
          onInput={(event) => setCalled(event.currentTarget.value)} /></label>
        <textarea ref={area} class="mono" rows={20} spellcheck={false} aria-label="Document" value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)} />
        <Problem error={error} />
        <div class="row">
          <button class="primary">Save</button>
          {error instanceof ApiError && error.status === 412 && <button type="button"
            onClick={() => void save(null)}>Replace the other change</button>}
          {asks && <button type="button" onClick={onClose}>Discard my changes</button>}
        </div>
      </form>
    </Dialog>
  );
}
