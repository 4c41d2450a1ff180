// What `hourcell serve --help-settings` prints, as it is in settings.txt:
//
//   tsd.network.port=4242
//       port to listen on; 0 = any free port

export interface Help { usual: string; about: string }

export function parseHelp(text: string): Map<string, Help> {
  const help = new Map<string, Help>();
  let last: Help | null = null;
  for (const line of text.split('\n')) {
    const begin = /^([\w.]+)=(.*)$/.exec(line);
    if (begin) {
      last = { usual: begin[2]!, about: '' };
      help.set(begin[1]!, last);
    } else if (last && line.startsWith(' ')) {
      last.about = `${last.about} ${line.trim()}`.trim();
    }
  }
  return help;
}
