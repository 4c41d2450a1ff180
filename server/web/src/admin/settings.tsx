// The settings of the server, beside what they mean.

import { useState } from 'preact/hooks';
import { getJson } from '../api/client';
import { useAnswer } from '../ui/hooks';
import { Check, Problem } from '../ui/parts';

interface Help { key: string; default: string; help: string }

export function Settings() {
  const [find, setFind] = useState('');
  const [onlyOwn, setOnlyOwn] = useState(false);
  const help = useAnswer((signal) => getJson<Help[]>('api/config?help', { signal }), []).value;
  const { value, error } = useAnswer((signal) => getJson<Record<string, string>>('api/config', { signal }), []);
  const rows = Object.entries(value ?? {}).map(([key, text]) => {
    const of = help?.find((one) => one.key === key);
    return { key, text, usual: of?.default, about: of?.help ?? '' };
  }).filter((row) => (!onlyOwn || (row.usual !== undefined && row.usual !== row.text)) &&
    `${row.key} ${row.about}`.toLowerCase().includes(find.toLowerCase()));
  return (
    <>
      <div class="row">
        <input class="search" type="search" aria-label="Search settings" placeholder="Search settings"
          value={find} onInput={(event) => setFind(event.currentTarget.value)} />
        <Check label="only changed ones" checked={onlyOwn} onChange={setOnlyOwn} />
      </div>
      <Problem error={error} />
      <dl class="settings">
        {rows.map((row) => (
          <div key={row.key}>
            <dt class="mono">{row.key}</dt>
            <dd><b class="mono">{row.text === '' ? 'not set' : row.text}</b>
              {row.usual !== undefined && row.usual !== row.text &&
                <span class="chip">default: {row.usual || 'not set'}</span>}
              <span class="soft">{row.about}</span></dd>
          </div>
        ))}
      </dl>
    </>
  );
}
