import vue from '@vitejs/plugin-vue';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Where `pm serve` listens while the page comes from Vite. */
const owner = process.env.PM_ADDRESS ?? 'http://127.0.0.1:5621';

const proxy = {
  target: owner,
  changeOrigin: true,
  // The owner refuses foreign origins; in development this proxy is the page's origin.
  headers: { origin: owner },
};

export default defineConfig({
  plugins: [vue()],
  resolve: {
    alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) },
  },
  define: {
    __VUE_OPTIONS_API__: 'false',
    __VUE_PROD_DEVTOOLS__: 'false',
    __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
    __VUE_I18N_FULL_INSTALL__: 'false',
    __VUE_I18N_LEGACY_API__: 'false',
    __INTLIFY_PROD_DEVTOOLS__: 'false',
    // Messages are interpreted, not compiled to functions: the policy of the page forbids eval.
    __INTLIFY_JIT_COMPILATION__: 'true',
    __INTLIFY_DROP_MESSAGE_COMPILER__: 'false',
  },
  build: {
    // WebKitGTK 2.44, and browsers of the same year: light-dark() and oklch() stay as written.
    target: ['chrome123', 'safari17.5', 'firefox128'],
    // Strict policy: nothing inlined, neither data: addresses nor scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    host: '127.0.0.1',
    port: 5173,
    strictPort: true,
    // The changelog is read from beside this folder.
    fs: { allow: ['..'] },
    proxy: { '/api': proxy, '/artifacts': proxy },
  },
  test: {
    environment: 'node',
    include: ['src/**/*.test.ts'],
    // Modules are read once for all files, which takes half the time: what a test leaves in one, the next one sees.
    isolate: false,
  },
});
