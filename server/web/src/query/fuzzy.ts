// Finds names by a few of their letters: "ecpu" finds "aws.ec2.cpu". Better matches come first:
// letters in a row, and those that begin a word.

export interface Match { name: string; score: number; at: number[] }

const isEdge = (name: string, i: number) => i === 0 || /[^\p{L}\p{N}]/u.test(name[i - 1]!);

export function match(name: string, typed: string): Match | null {
  const low = name.toLowerCase();
  const want = typed.toLowerCase();
  const whole = low.indexOf(want);
  if (whole >= 0) {
    const at = Array.from({ length: want.length }, (_, i) => whole + i);
    return { name, at, score: 1000 + (isEdge(name, whole) ? 200 : 0) - whole - name.length / 10 };
  }
  return matchLetters(name, low, want);
}

function matchLetters(name: string, low: string, want: string): Match | null {
  const at: number[] = [];
  let score = 0;
  let from = 0;
  for (const letter of want) {
    if (letter === ' ') continue;
    const found = low.indexOf(letter, from);
    if (found < 0) return null;
    score += found === from && from > 0 ? 10 : isEdge(name, found) ? 8 : 1;
    at.push(found);
    from = found + letter.length;
  }
  return { name, at, score: score - name.length / 10 };
}

export function findNames(names: string[], typed: string, max: number): Match[] {
  if (typed === '') return names.slice(0, max).map((name) => ({ name, score: 0, at: [] }));
  const found: Match[] = [];
  for (const name of names) {
    const one = match(name, typed);
    if (one) found.push(one);
  }
  return found.sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1)).slice(0, max);
}
