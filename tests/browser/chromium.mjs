// Debian's Chromium as all of these tests start it.

export const CHROMIUM = process.env.PM_CHROMIUM ?? '/usr/bin/chromium';

export const FLAGS = [
  // Root has no user namespace of Chromium's own; only pages of the product and of the tests are opened.
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
