// The key space over time, from what /api/admin/regions answers now and then.

export interface Region {
  id: number;
  name: string;
  start: string;
  end: string;
  state: string;
  parents: number[];
  fileBytes: number;
  memoryBytes: number;
  files: number;
  explained?: { text: string; metric?: string };
}

// How the regions were at one moment.
export interface Shot {
  at: number;
  bytes: Map<number, number>; // by id
  grown: Map<number, number>; // bytes a second since the shot before
  events: string[];
}

const SHOTS_MAX = 240;

const bytesOf = (region: Region) => region.fileBytes + region.memoryBytes;

export function startText(region: Region): string {
  if (region.explained?.text) return region.explained.text;
  return region.start === '' ? 'the first key' : region.start;
}

// What fits into the picture: the metric that its first key is of.
export function nameOf(region: Region): string {
  return region.explained?.metric ?? (region.start === '' ? 'start' : String(region.id));
}

export function layOut(regions: Region[]): { region: Region; part: number; shade: number }[] {
  const total = regions.reduce((sum, one) => sum + bytesOf(one), 0) || 1;
  const most = Math.max(1, ...regions.map(bytesOf));
  return regions.map((region) => ({
    region, part: Math.max(0.01, bytesOf(region) / total), shade: bytesOf(region) / most,
  }));
}

export function remember(shots: Shot[], regions: Region[], at: number): Shot[] {
  const before = shots[shots.length - 1];
  const bytes = new Map(regions.map((region) => [region.id, bytesOf(region)]));
  const grown = new Map<number, number>();
  const events: string[] = [];
  if (before) {
    const seconds = Math.max(0.001, (at - before.at) / 1e3);
    for (const [id, now] of bytes) {
      const old = before.bytes.get(id);
      if (old !== undefined) grown.set(id, Math.max(0, now - old) / seconds);
    }
    events.push(...eventsOf(before, regions));
  }
  return [...shots, { at, bytes, grown, events }].slice(-SHOTS_MAX);
}

// A region that is new has come from its parents: one parent is a split, several are a merge.
function eventsOf(before: Shot, regions: Region[]): string[] {
  const daughters = new Map<string, number[]>();
  for (const region of regions) {
    if (before.bytes.has(region.id) || region.parents.length === 0) continue;
    const parents = region.parents.join(' and ');
    daughters.set(parents, [...(daughters.get(parents) ?? []), region.id]);
  }
  return [...daughters].map(([parents, ids]) => (parents.includes(' and ')
    ? `Regions ${parents} were merged into ${ids.join(', ')}.`
    : `Region ${parents} was split into ${ids.join(', ')}.`));
}
