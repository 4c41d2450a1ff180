// How the graph looks: style, axes, limits, units.

import { go, page, tweak } from '../state/page';
import { useStore } from '../state/store';
import { STYLES, type State } from '../state/state';
import { UNITS } from '../time/units';
import { EARLIER } from '../plot/compare';
import { Check, Choice, Menu } from '../ui/parts';

export function Look() {
  const state = useStore(page);
  const hasRight = state.lines.some((line) => line.right);
  const field = (key: 'yrange' | 'y2range' | 'ylabel' | 'y2label' | 'title' | 'threshold', text: string,
                 placeholder = '') => (
    <label>{text} <input value={state[key]} placeholder={placeholder}
      onInput={(event) => tweak({ [key]: event.currentTarget.value } as Partial<State>)} /></label>
  );
  return (
    <>
      <Choice label="Style" value={state.style} options={STYLES} onChange={(style) => go({ style })} />
      <Choice label="Compare with" value={state.compare}
        options={EARLIER.some(([ago]) => ago === state.compare) ? EARLIER : [...EARLIER, [state.compare, `${state.compare} before`]]}
        onChange={(compare) => go({ compare })} />
      <Menu label="Axes">
        <div class="form" onClick={(event) => event.stopPropagation()}>
          {field('title', 'Title')}
          <label>Unit <Choice label="Unit" value={state.unit as (typeof UNITS)[number]}
            options={UNITS.map((unit) => [unit, unit || 'by the name'])}
            onChange={(unit) => go({ unit })} /></label>
          {field('yrange', 'Limits', '[0:100]')}
          {field('threshold', 'Threshold', 'a number')}
          {field('ylabel', 'Label')}
          <Check label="logarithmic" checked={state.ylog} onChange={(ylog) => go({ ylog })} />
          {hasRight && field('y2range', 'Limits, right', '[0:]')}
          {hasRight && field('y2label', 'Label, right')}
          {hasRight && <Check label="logarithmic, right" checked={state.y2log}
            onChange={(y2log) => go({ y2log })} />}
          <Check label="lines across holes" checked={state.connect} onChange={(connect) => go({ connect })} />
          <Check label="notes" checked={state.notes} onChange={(notes) => go({ notes })} />
        </div>
      </Menu>
    </>
  );
}
