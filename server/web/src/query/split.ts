// Splits text at separators that are outside of brackets, and keeps where each part begins: errors
// are shown at the right character.

export interface Part { text: string; at: number }

export function splitOutside(text: string, separator: string, open: string, close: string,
                             at = 0): Part[] {
  const parts: Part[] = [];
  let begin = 0;
  let depth = 0;
  for (let i = 0; i < text.length; ++i) {
    if (text[i] === open) ++depth;
    else if (text[i] === close) depth = Math.max(depth - 1, 0);
    else if (text[i] === separator && depth === 0) {
      parts.push({ text: text.slice(begin, i), at: at + begin });
      begin = i + 1;
    }
  }
  parts.push({ text: text.slice(begin), at: at + begin });
  return parts;
}

// The position of the '}' that ends the braces that were opened before `begin`, or -1. A '}' inside
// parentheses belongs to a regular expression.
export function findClose(text: string, begin: number): number {
  let depth = 0;
  for (let i = begin; i < text.length; ++i) {
    if (text[i] === '(') ++depth;
    else if (text[i] === ')') depth = Math.max(depth - 1, 0);
    else if (text[i] === '}' && depth === 0) return i;
  }
  return -1;
}
