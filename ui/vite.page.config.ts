import { defineConfig } from 'vite';

/** The script that the assistant puts into pages: one file, run before the page's own code. */
export default defineConfig({
  publicDir: false,
  build: {
    target: ['chrome123', 'safari17.5'],
    outDir: 'dist-page',
    reportCompressedSize: false,
    lib: {
      entry: 'src/page/index.ts',
      formats: ['iife'],
      name: 'pmPageScript',
      fileName: () => 'page.js',
    },
  },
});
