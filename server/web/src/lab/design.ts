// A design of row keys and regions as a form has it, and as the text of `hourcell simulate --design`:
//
//   salted: layout=salted:20 presplit=salt tsd.region.split.policy=ConstantSize

export const PARTS = ['layout', 'distributor', 'presplit', 'policy', 'engine'] as const;
export type Part = (typeof PARTS)[number];
export type Design = Record<Part, string> & { name: string; more: string };

const POLICY = 'tsd.region.split.policy';

export function parseDesign(text: string): Design {
  const colon = text.indexOf(':');
  const design: Design = {
    name: text.slice(0, Math.max(colon, 0)).trim(), layout: '', distributor: '', presplit: '', policy: '',
    engine: '', more: '',
  };
  const more: string[] = [];
  for (const word of text.slice(colon + 1).split(/\s+/).filter(Boolean)) {
    const equals = word.indexOf('=');
    const key = word.slice(0, equals) === POLICY ? 'policy' : word.slice(0, equals);
    if (PARTS.includes(key as Part)) design[key as Part] = word.slice(equals + 1);
    else more.push(word);
  }
  return { ...design, more: more.join(' ') };
}

// Parts that are empty are left out: the server's defaults.
export function printDesign(design: Design): string {
  const words = PARTS.filter((part) => design[part] !== '')
    .map((part) => `${part === 'policy' ? POLICY : part}=${design[part]}`);
  return `${design.name || 'design'}: ${[...words, design.more].filter(Boolean).join(' ')}`.trim();
}

// The command that copies a store to the layout of the design, if a store can have that layout.
export function migrateOf({ layout, distributor }: Design): string {
  const salted = /^(opentsdb|salted:(\d+))?$/.exec(layout);
  if (!salted || !['', 'none'].includes(distributor)) return '# no store has such keys';
  const buckets = Number(salted[2] ?? 0);
  const width = buckets > 256 ? 2 : buckets && 1;
  return `hourcell migrate FROM TO --set tsd.storage.salt.width=${width}${
    buckets ? ` --set tsd.storage.salt.buckets=${buckets}` : ''}`;
}

const STEPS_MAX = 96;

// Steps of a heat map, so that each takes whole hours: rows are written by the hour, and steps that
// cut hours show stripes that there are not. Fleets last a day if they do not say how long.
export function stepsOf(fleet: string): number {
  const [, count, unit] = /duration=(\d+)([hd])/.exec(fleet) ?? ['', '1', 'd'];
  const hours = Number(count) * (unit === 'd' ? 24 : 1);
  return Math.max(1, Math.ceil(hours / Math.ceil(hours / STEPS_MAX)));
}
