// Reads the array that /api/query answers, while it arrives: complete series, and of the one that
// is on its way its points so far.

export interface Annotation {
  tsuid: string | null;
  startTime: number;
  endTime: number;
  description: string;
  notes: string;
  custom?: Record<string, string> | null;
}

export interface Answer {
  metric: string;
  tags: Record<string, string>;
  aggregateTags: string[];
  tsuids?: string[];
  query?: { index: number };
  annotations?: Annotation[];
  globalAnnotations?: Annotation[];
  dps: [number, number | string][];
}

// How the server read one sub query.
export interface Plan {
  query: number;
  method: string;
  metricSeries: number;
  series: number;
  groups: number;
  hours: number;
  expectedRows: number;
  expectedBytes: number;
  rows: number;
  rowsSkipped: number;
  points: number;
  bytes: number;
  memory: number;
}

// An integer of more than 15 digits becomes a text: a double has no room for it. Points are the last
// part of a series.
const LONG = /(\[\d+,)(-?\d{16,})(?=\])/g;
function exact(text: string): string {
  const points = text.indexOf('"dps":[');
  return points < 0 ? text : text.slice(0, points) + text.slice(points).replace(LONG, '$1"$2"');
}

// Answers as JSON, with these numbers as they came.
export function printAnswers(answers: Answer[], indent?: number): string {
  return JSON.stringify(answers, null, indent).replace(/(\[\s*\d+,\s*)"(-?\d{16,})"(?=\s*\])/g, '$1$2');
}

export class ArrayReader {
  private text = ''; // from the element that is not complete
  private at = 0; // how far it was looked at
  private depth = 0;
  private inString = false;
  private begin = -1;
  readonly items: Answer[] = [];
  plans: Plan[] = []; // of a query with `explain`

  push(piece: string): void {
    this.text += piece;
    for (; this.at < this.text.length; ++this.at) this.look(this.text.charCodeAt(this.at));
    if (this.begin > 0) this.drop(this.begin);
    else if (this.begin < 0) this.drop(this.text.length);
  }

  // One character. Numbers are not looked at: 34 '"', 92 '\', 91 '[', 123 '{'.
  private look(code: number): void {
    if (this.inString) {
      if (code === 92) ++this.at;
      else if (code === 34) this.inString = false;
    } else if (code === 34) this.inString = true;
    else if (code === 123 || code === 91) {
      if (code === 123 && this.depth === 1) this.begin = this.at;
      ++this.depth;
    } else if (code === 125 || code === 93) {
      --this.depth;
      if (this.depth === 1 && this.begin >= 0) this.take();
    }
  }

  private take(): void {
    const item = JSON.parse(exact(this.text.slice(this.begin, this.at + 1))) as Answer & { explain?: Plan[] };
    if (item.dps) this.items.push(item); // not the summary of the last element
    if (item.explain) this.plans = item.explain;
    this.begin = -1;
  }

  private drop(count: number): void {
    this.text = this.text.slice(count);
    this.at -= count;
    if (this.begin >= 0) this.begin -= count;
  }

  get isComplete(): boolean {
    return this.depth === 0 && this.text === '' && !this.inString;
  }

  // The series that is on its way, with the points so far.
  partial(): Answer | null {
    const dps = this.text.indexOf('"dps":[');
    const end = this.text.lastIndexOf('],');
    if (this.begin < 0 || dps < 0 || end < dps) return null;
    try {
      return JSON.parse(exact(`${this.text.slice(this.begin, end + 1)}]}`)) as Answer;
    } catch {
      return null;
    }
  }
}
