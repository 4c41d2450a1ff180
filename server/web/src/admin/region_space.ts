// The current regions, as /api/admin/regions lists them.

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

const bytesOf = (region: Region) => region.fileBytes + region.memoryBytes;

// A daughter of a planned split.
export interface Planned extends Pick<Region, 'start' | 'explained'> {
  hex: string;
  bytes: number;
  writeShare?: number;
}

export function startText(region: Pick<Region, 'start' | 'explained'>): string {
  if (region.explained?.text) return region.explained.text;
  return region.start === '' ? 'the first key' : region.start;
}

// A short label for the picture: the metric of the first key.
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
