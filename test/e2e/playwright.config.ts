import { defineConfig } from 'playwright/test'

/** Specs beside this file run in both shells; those in a shell's own folder in that one only. */
const shared = /\/e2e\/[^/]+\.spec\.ts$/

export default defineConfig({
  testDir: '.',
  outputDir: '../../.cache/e2e',
  // One at a time: each test starts a whole console, and other programs share the machine.
  workers: 1,
  // A test that needs a second try is a failed test.
  retries: 0,
  forbidOnly: true,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: 'list',
  projects: [
    { name: 'program', testMatch: ['program/*.spec.ts'] },
    { name: 'browser', testMatch: [shared, 'browser/*.spec.ts'] },
    { name: 'electron', testMatch: [shared, 'electron/*.spec.ts'] },
  ],
})
