import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'

const at = (path: string) => resolve(import.meta.dirname, path)
const entries = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, at(`src-main/${name}.ts`)]))

const { version } = JSON.parse(readFileSync(at('package.json'), 'utf8'))

/** CommonJS beside each other, no chunk folder: see ARCHITECTURE.md, "Build". */
const commonJs = {
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name]-[hash].cjs',
} as const

export default defineConfig({
  main: {
    define: { __SIGNALBOX_VERSION__: JSON.stringify(version) },
    build: {
      target: 'node18',
      outDir: 'out/main',
      rolldownOptions: {
        input: entries('electron', 'serve', 'cli', 'router', 'ingest', 'fleet', 'traffic'),
        output: commonJs,
      },
    },
  },
  preload: {
    build: {
      target: 'node18',
      outDir: 'out/preload',
      externalizeDeps: false,
      rolldownOptions: { input: entries('preload'), output: commonJs },
    },
  },
  renderer: {
    root: 'src-renderer',
    publicDir: at('resources/public'),
    html: { cspNonce: '__CSP_NONCE__' },
    plugins: [react(), tailwindcss()],
    build: {
      target: 'chrome114',
      outDir: at('out/renderer'),
      minify: true,
      rolldownOptions: { input: at('src-renderer/index.html') },
    },
  },
})
