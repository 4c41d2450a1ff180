// Splits text at separators that are outside of brackets, and keeps where each part begins: errors
// are shown at the right character.

export interface Part { text: string; at: number }

// A quoted name: "a b", with '\\' in front of '"' and '\\'. It begins where the text does, or after
// one of : { , = |. Nothing in it separates.

// Where the quoted name ends that begins at `at`; `at` if none does.
export function skipQuoted(text: string, at: number): number {
  if (text[at] !== '"' || (at > 0 && !':{,=|'.includes(text[at - 1]!))) return at;
  const found = /^"(?:[^"\\]|\\["\\])*"/.exec(text.slice(at));
  return found ? at + found[0].length : at;
}

export function indexOutsideQuotes(text: string, char: string): number {
  for (let i = 0; i < text.length; ++i) {
    const end = skipQuoted(text, i);
    if (end !== i) i = end - 1;
    else if (text[i] === char) return i;
  }
  return -1;
}

// The name that all of the text says, quoted or not.
export function unquoted(text: string): string {
  if (text === '' || skipQuoted(text, 0) !== text.length) return text;
  return text.slice(1, -1).replace(/\\(["\\])/g, '$1');
}

export function quoted(name: string): string {
  return `"${name.replace(/["\\]/g, '\\$&')}"`;
}

export function splitOutside(text: string, separator: string, open: string, close: string,
                             at = 0): Part[] {
  const parts: Part[] = [];
  let begin = 0;
  let depth = 0;
  for (let i = 0; i < text.length; ++i) {
    const end = skipQuoted(text, i);
    if (end !== i) i = end - 1;
    else if (text[i] === open) ++depth;
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
    const end = skipQuoted(text, i);
    if (end !== i) i = end - 1;
    else if (text[i] === '(') ++depth;
    else if (text[i] === ')') depth = Math.max(depth - 1, 0);
    else if (text[i] === '}' && depth === 0) return i;
  }
  return -1;
}
