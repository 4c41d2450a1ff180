// Saves the graph that is drawn: as a new view, in place of one, or as one more graph.

import { useState } from 'preact/hooks';
import { listViews, readView, saveView } from '../api/views';
import { tweak } from '../state/page';
import type { State } from '../state/state';
import { plural } from '../time/units';
import { useAnswer } from '../ui/hooks';
import { Dialog, Problem } from '../ui/parts';
import { graphIn, printView, readDocument, viewIn } from './document';
import { linkToView } from './views';

export function SaveDialog({ state, onClose }: { state: State; onClose: () => void }) {
  const [name, setName] = useState(state.saved || state.title);
  const [saved, setSaved] = useState('');
  const [problem, setProblem] = useState<unknown>(null);
  const { value, error } = useAnswer(listViews, []);
  const called = name.trim();
  const old = value?.views.find((one) => one.name === called);
  const act = (work: Promise<unknown>) => work.then(() => {
    setSaved(called);
    tweak({ saved: called });
  }, setProblem);
  const save = () => act(saveView(called, printView(viewIn(state)), old?.etag ?? ''));
  const add = async () => {
    const { text, etag } = await readView(called);
    const view = readDocument(text);
    await saveView(called, printView({ ...view, graphs: [...view.graphs, graphIn(state)] }), etag);
  };
  if (saved) {
    return (
      <Dialog title="Saved" onClose={onClose}>
        <p><a class="button primary" href={linkToView(saved, state)}>Open <bdi>{saved}</bdi></a></p>
      </Dialog>
    );
  }
  return (
    <Dialog title="Save the graph" onClose={onClose}>
      <form class="form" onSubmit={(event) => {
        event.preventDefault();
        void (old ? act(add()) : save());
      }}>
        <label>Name of the view <input required maxLength={200} list="views" value={name}
          onInput={(event) => setName(event.currentTarget.value)} /></label>
        <datalist id="views">{value?.views.map((one) => <option key={one.name} value={one.name} />)}</datalist>
        <p class="soft">{old ? `There is a view of this name, with ${plural(old.graphs ?? 0, 'graph')}.`
          : 'Everyone who may read can open it.'}</p>
        <Problem error={error ?? problem} />
        <div class="row">
          {old ? <>
            <button class="primary">Add as one more graph</button>
            <button type="button" onClick={() => void save()}>Replace it</button>
          </> : <button class="primary" disabled={!value}>Save</button>}
        </div>
      </form>
    </Dialog>
  );
}
