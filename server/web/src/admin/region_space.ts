// The regions as they are now, from what /api/admin/regions answers.

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
