// The page: its head, and the view that the address names.

import { useEffect } from 'preact/hooks';
import { getJson, online, returns } from '../api/client';
import { asksLogin, login, signOut } from '../api/login';
import { findAggregators } from '../api/names';
import { can, findRights } from '../api/roles';
import { CardinalityView } from '../admin/cardinality';
import { RegionsView } from '../admin/regions';
import { ServerView } from '../admin/server';
import { BrowseView } from '../browse/browse';
import { GraphView } from '../graph/graph';
import { Range } from '../graph/range';
import { Import } from '../import/import';
import { LabView } from '../lab/lab';
import { linkTo, page } from '../state/page';
import { PARTS, type View } from '../state/state';
import { useStore } from '../state/store';
import { useTick } from '../ui/hooks';
import { dark, toggleTheme } from '../ui/theme';
import { ViewsView } from '../views/views';
import { SignIn } from './sign_in';

const VIEW: Record<View, () => preact.JSX.Element> = {
  graph: GraphView, views: ViewsView, browse: BrowseView, cardinality: CardinalityView, regions: RegionsView,
  lab: LabView, server: ServerView,
};

export function App() {
  const state = useStore(page);
  const user = useStore(login);
  const asks = useStore(asksLogin);
  const rights = useStore(can);
  const isOnline = useStore(online);
  const back = useStore(returns);
  useEffect(() => {
    if (isOnline) findRights().then(findAggregators).catch(() => {});
  }, [user, isOnline]);
  useEffect(() => {
    const what = state.view === 'graph' ? state.title || state.lines[0]?.m
      : state.metric || (state.view === 'views' && state.saved) || state.view;
    document.title = what ? `${what} – Hourcell` : 'Hourcell';
  }, [state]);
  const View = VIEW[state.view];
  return (
    <>
      <Head />
      <Offline />
      <Import />
      {rights.read ? <View key={`${user?.header} ${state.view === 'graph' ? '' : back}`} />
        : <main><p class="empty">{user ? 'Your role may not read data.' : 'Sign in to see data.'}</p></main>}
      {asks !== null && <SignIn reason={asks} />}
    </>
  );
}

const NAMES: [View, string][] = [['browse', 'Metrics'], ['graph', 'Graph'], ['views', 'Views'],
  ['cardinality', 'Cardinality'], ['regions', 'Regions'], ['lab', 'Design lab'], ['server', 'Server']];

function Head() {
  const state = useStore(page);
  const user = useStore(login);
  const isDark = useStore(dark);
  const rights = useStore(can);
  return (
    <header class="head">
      <a class="brand" href={linkTo({})}>hourcell</a>
      <nav aria-label="Views">
        {NAMES.filter(([view]) => rights.admin || (view !== 'regions' && view !== 'lab')).map(([view, text]) => (
          <a key={view} href={linkOf(view)} aria-current={state.view === view ? 'page' : undefined}>{text}</a>
        ))}
      </nav>
      <div class="right">
        {(state.view === 'graph' || (state.view === 'views' && state.saved)) && <Range />}
        {user ? <button class="quiet" title={`Signed in as ${user.name}`} onClick={signOut}>Sign out</button>
          : !rights.admin && <button class="quiet" onClick={() => asksLogin.set('')}>Sign in</button>}
        <button class="quiet" aria-label={isDark ? 'Light colours' : 'Dark colours'} onClick={toggleTheme}>
          {isDark ? '☀' : '☾'}</button>
      </div>
    </header>
  );
}

// The graph keeps its queries while other views are looked at.
function linkOf(view: View): string {
  const state = page.get();
  if (view === 'graph') return linkTo({ ...state, ...PARTS, view });
  return linkTo({ ...state, ...PARTS, view, metric: '', tag: '', search: '', saved: '' });
}

// The page asks until the server is back. Then a graph asks again, and other views are made anew.
function Offline() {
  const isOnline = useStore(online);
  const tick = useTick(isOnline ? 0 : 2000);
  useEffect(() => {
    if (isOnline) return;
    getJson('api/version').catch(() => {});
  }, [tick]);
  if (isOnline) return null;
  return <p class="offline" role="alert">The server does not answer. Trying again…</p>;
}
