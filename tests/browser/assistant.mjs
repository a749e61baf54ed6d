// The assistant in a Chromium started for it, over the DevTools protocol.

import { startChromium } from './assistant/ava.mjs';
import { whole } from './assistant/whole.mjs';

await whole('assistant', 'cdp', startChromium);
