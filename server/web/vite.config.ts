import { defineConfig } from 'vite';

// Addresses in the built page are relative, so that it works behind any path prefix.
// Only for development: requests for data go to a running server.
const server = process.env.HOURCELL ?? 'http://127.0.0.1:4242';

export default defineConfig({
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2022',
    // Nothing may be inlined: the page's Content-Security-Policy has no data: scripts or styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
  server: { proxy: { '/api': server, '/q': server } },
});
