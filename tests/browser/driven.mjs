// The assistant in a WebKit over WebDriver, on a screen of its own.

import { startWebKit } from './assistant/webkit.mjs';
import { whole } from './assistant/whole.mjs';

await whole('driven', 'webdriver', startWebKit);
