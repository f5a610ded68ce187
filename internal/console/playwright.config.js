// Tests of the console in the Chromium of the machine, against the real program.
import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: 'tests',
  outputDir: 'results/failures',
  fullyParallel: true,
  workers: 2,
  timeout: 600_000, // on a machine that does much else besides
  expect: { timeout: 60_000 },
  forbidOnly: true,
  retries: 0,
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    trace: process.env.TRACE ? 'retain-on-failure' : 'off', // a trace takes a third of the time
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', '--in-process-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    },
  },
});
