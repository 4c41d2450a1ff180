// How the server read the queries, drawn as a tree.

import type { Plan } from '../api/stream';
import { treeOf, type Step } from '../query/explain';
import { Bar } from '../ui/parts';

export function ExplainTree({ plans, queries, running }: {
  plans: Plan[]; queries: string[]; running?: boolean;
}) {
  if (plans.length === 0) {
    return <p class="empty">{running ? 'The server explains a query when it is done with it.'
      : 'There is nothing to explain: no query has been read.'}</p>;
  }
  return (
    <div class="scroll explain" tabIndex={0} role="region" aria-label="How the server read each query">
      <ul>{treeOf(plans, queries).map((step, i) => <Branch key={i} step={step} isTop />)}</ul>
    </div>
  );
}

function Branch({ step, isTop }: { step: Step; isTop?: boolean }) {
  return (
    <li>
      <div class="step">
        <b class={isTop ? 'mono' : ''}><bdi>{step.title}</bdi></b>
        <span class="soft">{step.detail}</span>
        {isTop && <Bar part={step.cost} />}
      </div>
      {step.children.length > 0 && <ul>{step.children.map((child, i) => <Branch key={i} step={child} />)}</ul>}
    </li>
  );
}
