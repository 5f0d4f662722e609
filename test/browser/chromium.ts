import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** The first draws for nobody, with half the work of those that could open a window. */
const PROGRAMS = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Ours is the only site: a process of its own for every frame and every spare page is work for nothing.
  '--disable-site-isolation-trials',
  '--disable-features=SpareRendererForSitePerProcess,IsolateOrigins,site-per-process,Translate,MediaRouter,OptimizationHints',
  '--disable-extensions',
  '--disable-dev-shm-usage',
  '--mute-audio',
];

const program = PROGRAMS.find((path) => existsSync(path));

/** Why the stories of the pages are left out here, or nothing where they can be told. Continuous integration leaves out none. */
export const leftOut: string | false =
  program === undefined && process.env.CI !== 'true' ? 'no Chromium on this computer' : false;

export function openChromium(): Promise<Browser> {
  if (program === undefined) throw new Error('no Chromium on this computer');
  return chromium.launch({ executablePath: program, args: FLAGS });
}
