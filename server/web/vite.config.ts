import { defineConfig } from 'vite';
import { slimPlot } from './slim_uplot.ts';

// Addresses in the built page are relative, so that it works behind any path prefix.
// Only for development: requests for data go to a running server.
const server = process.env.HOURCELL ?? 'http://127.0.0.1:4242';

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
    // One kilobyte less than Vite's own.
    minify: 'terser',
    terserOptions: {
      module: true, ecma: 2020,
      compress: { passes: 3, unsafe_arrows: true, pure_getters: true, keep_fargs: false },
    },
    // Nothing may be inlined: the page's Content-Security-Policy has no data: scripts or styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
  server: { proxy: { '/api': server, '/q': server } },
});
