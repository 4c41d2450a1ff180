// Lines of points, as telnet and `hourcell import` take them:
//
//   put cpu.user 1356998400 42.5 host=web01 dc=lga
//
// `put` may be missing. Numbers stay text: they may have more digits than JavaScript keeps.

export interface Point {
  metric: string;
  timestamp: string;
  value: string;
  tags: Record<string, string>;
}

// A point, or the error of the line; null for an empty line or a comment.
export function parseLine(line: string): Point | string | null {
  const words = line.trim().split(/\s+/);
  if (words[0] === 'put') words.shift();
  if (!words[0] || words[0].startsWith('#')) return null;
  const [metric, timestamp, value, ...tags] = words;
  if (/^[[{]/.test(metric!)) return 'this is JSON; want lines such as: cpu.user 1356998400 42.5 host=web01';
  if (value === undefined) return `want a metric, a time and a value, got ${words.length === 1 ? 'one word' : 'two words'}`;
  if (!/^\d+(\.\d+)?$/.test(timestamp!)) return `${timestamp} is no time; want seconds or milliseconds since 1970`;
  const wrong = tags.find((tag) => !/^[^=]+=[^=]+$/.test(tag));
  if (wrong) return `${wrong} is no tag; want key=value`;
  return {
    metric: metric!, timestamp: timestamp!, value,
    tags: Object.fromEntries(tags.map((tag) => tag.split('=') as [string, string])),
  };
}

// Cuts text that arrives in pieces into lines.
export class LineCutter {
  private rest = '';

  cut(piece: string): string[] {
    const lines = (this.rest + piece).split('\n');
    this.rest = lines.pop()!;
    return lines;
  }
  end(): string[] {
    const last = this.rest;
    this.rest = '';
    return last ? [last] : [];
  }
}
