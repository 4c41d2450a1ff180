import { defineConfig, type Plugin } from 'vite';

// Addresses in the built page are relative, so that it works behind any path prefix.
// Only for development: requests for data go to a running server.
const server = process.env.HOURCELL ?? 'http://127.0.0.1:4242';

// What the page does not use of uPlot, which hangs it on itself, so that no bundler can leave it out:
// 1.5 kB compressed. Fails if uPlot is another one.
const UNUSED = ['(paths.stepped = stepped);', '(paths.spline  = monotoneCubic);', 'uPlot.tzDate  = tzDate;',
  'uPlot.addGap = addGap;', 'uPlot.join = join;'];
// The rules of its legend, which the page never shows.
const LEGEND = /\.u-(legend|inline|series|title)[^{}]*\{[^}]*\}/g;
const slimPlot: Plugin = {
  name: 'slim-uplot',
  enforce: 'pre',
  transform(code, id) {
    if (id.endsWith('uPlot.min.css')) {
      if (!LEGEND.test(code)) throw new Error('uPlot has no rules of a legend');
      return code.replace(LEGEND, '');
    }
    if (!id.endsWith('uPlot.esm.js')) return null;
    return UNUSED.reduce((text, line) => {
      if (!text.includes(line)) throw new Error(`uPlot has no line ${line}`);
      return text.replace(line, '');
    }, code);
  },
};

export default defineConfig({
  base: './',
  plugins: [slimPlot],
  // Not the automatic runtime: calls of h() are shorter.
  oxc: {
    jsx: { runtime: 'classic', pragma: 'h', pragmaFrag: 'Fragment' },
    jsxInject: "import { h, Fragment } from 'preact'",
  },
  build: {
    target: 'es2022',
    // Nothing may be inlined: the page's Content-Security-Policy has no data: scripts or styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
  server: { proxy: { '/api': server, '/q': server } },
});
