// The filters of a query, one after the other.

import { FILTER_TYPES, type Filter, type FilterType, type SubQuery } from '../query/model';
import { Combobox } from '../ui/combobox';
import { Choice } from '../ui/parts';
import { findTagks, findTagvs, tagvHint } from './completions';
import { dropAt, replaceAt } from './lines';

const WORDS: Record<FilterType, string> = {
  literal_or: 'is', iliteral_or: 'is, any case', not_literal_or: 'is not',
  not_iliteral_or: 'is not, any case', wildcard: 'like', iwildcard: 'like, any case',
  regexp: 'matches', not_key: 'is absent',
};

const TYPES = FILTER_TYPES.map((type) => [type, WORDS[type]] as [FilterType, string]);

interface Placed { filter: Filter; groups: boolean }

export function Filters({ query, onChange }: {
  query: SubQuery; onChange: (query: SubQuery) => void;
}) {
  const all: Placed[] = [
    ...query.groups.map((filter) => ({ filter, groups: true })),
    ...query.only.map((filter) => ({ filter, groups: false })),
  ];
  const set = (placed: Placed[]) => onChange({
    ...query,
    groups: placed.filter((one) => one.groups).map((one) => one.filter),
    only: placed.filter((one) => !one.groups).map((one) => one.filter),
  });
  return (
    <div class="filters">
      {all.map((placed, i) => (
        <FilterRow key={i} metric={query.metric} placed={placed}
          onChange={(one) => set(replaceAt(all, i, one))} onDrop={() => set(dropAt(all, i))} />
      ))}
      <Combobox value="" label="Add a tag" placeholder="+ group or filter by tag"
        load={(typed) => findTagks(query.metric, typed)}
        onPick={(tagk) => set([...all, {
          filter: { tagk, type: 'wildcard', text: '*' }, groups: true,
        }])} />
    </div>
  );
}

function FilterRow({ metric, placed, onChange, onDrop }: {
  metric: string; placed: Placed; onChange: (placed: Placed) => void; onDrop: () => void;
}) {
  const { filter, groups } = placed;
  const set = (change: Partial<Filter>) => onChange({ ...placed, filter: { ...filter, ...change } });
  return (
    <div class="filter">
      <bdi class="tagk">{filter.tagk}</bdi>
      <Choice label={`How ${filter.tagk} is compared`} value={filter.type} options={TYPES}
        onChange={(type) => (type === 'not_key'
          ? onChange({ filter: { ...filter, type, text: '' }, groups: false })
          : set({ type, text: filter.text || '*' }))} />
      {filter.type !== 'not_key' && (
        <Combobox value={filter.text} label={`Value of ${filter.tagk}`}
          load={(typed, signal) => findTagvs(metric, filter.tagk, typed, signal)}
          hint={(text) => tagvHint(metric, filter.tagk, text)}
          onPick={(text) => set({ text, type: typeFor(filter.type, text) })} />
      )}
      {filter.type !== 'not_key' && (
        <button class={`toggle${groups ? ' on' : ''}`} aria-pressed={groups}
          title="One line for each value" onClick={() => onChange({ ...placed, groups: !groups })}>
          group
        </button>
      )}
      <button class="quiet" aria-label={`Remove the filter of ${filter.tagk}`} onClick={onDrop}>✕</button>
    </div>
  );
}

// A name that was picked is no pattern, and '*' is one.
function typeFor(type: FilterType, text: string): FilterType {
  const hasStar = text.includes('*');
  if (type === 'literal_or' && hasStar) return 'wildcard';
  if ((type === 'wildcard' || type === 'iwildcard') && !hasStar) return 'literal_or';
  return type;
}
