// The saved views: a list, or the graphs of one.

import { useState } from 'preact/hooks';
import { can } from '../api/roles';
import { listViews, type ListedView } from '../api/views';
import { go, linkTo, page } from '../state/page';
import { favourites } from '../state/saved';
import { useStore } from '../state/store';
import { showTime } from '../time/time';
import { plural } from '../time/units';
import { useAnswer } from '../ui/hooks';
import { Problem } from '../ui/parts';
import { Dashboard } from './dashboard';
import { printView, rangeIn } from './document';
import { EditView } from './edit';
import { Star } from './star';

export function ViewsView() {
  const { saved } = useStore(page);
  return saved ? <Dashboard key={saved} name={saved} /> : <ViewList />;
}

export const linkToView = (name: string, range: Parameters<typeof rangeIn>[0]) =>
  linkTo({ view: 'views', saved: name, ...rangeIn(range) });

const TEMPLATE = printView({ version: 1, title: '', start: '6h-ago', graphs: [] });

function ViewList() {
  const rights = useStore(can);
  const starred = useStore(favourites).map((one) => one.name);
  const [isNew, setNew] = useState(false);
  const { value, error } = useAnswer(listViews, []);
  const rank = ({ name }: ListedView) => (starred.includes(name) ? 0 : 1);
  const views = [...value?.views ?? []].sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
  return (
    <main>
      <div class="toolbar">
        <h1>Views</h1>
        {rights.write && <button onClick={() => setNew(true)}>New view</button>}
        <p class="status" role="status">{value && plural(views.length, 'view')}</p>
      </div>
      <Problem error={error} />
      {value && views.length === 0 && <p class="empty">There are no views yet. Draw a graph, and click
        <i> Save…</i> to keep it for everyone.</p>}
      {views.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Views">
          <table>
            <thead><tr><th scope="col"><span class="sr">Favourite</span></th><th scope="col">Name</th>
              <th scope="col">Title</th><th scope="col" class="number">Graphs</th>
              <th scope="col">Changed</th></tr></thead>
            <tbody>{views.map((one) => <Row key={one.name} one={one} />)}</tbody>
          </table>
        </div>
      )}
      {isNew && <EditView name="" text={TEMPLATE} etag="" onClose={() => setNew(false)}
        onDone={(name) => go({ view: 'views', saved: name })} />}
    </main>
  );
}

function Row({ one }: { one: ListedView }) {
  const { tz } = page.get();
  return (
    <tr>
      <td><Star name={one.name} link={linkToView(one.name, one)} /></td>
      <th scope="row"><a href={linkToView(one.name, one)}><bdi>{one.name}</bdi></a></th>
      <td>{one.problem ? <span class="stale">{one.problem}</span> : <bdi>{one.title}</bdi>}</td>
      <td class="number">{one.graphs}</td>
      <td>{one.changed && showTime(one.changed, tz).slice(0, 16)}{one.by && <> by <bdi>{one.by}</bdi></>}</td>
    </tr>
  );
}
