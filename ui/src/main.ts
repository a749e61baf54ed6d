// First, so that a part's own style wins over what every element starts from.
import './shared/styles/tokens.css';
import './shared/styles/base.css';

import { VueQueryPlugin } from '@tanstack/vue-query';
import { createApp, ref } from 'vue';
import App from './App.vue';
import { watchForLinks } from './app/newLink';
import { pageRouter } from './app/router';
import { openNative, openTransport } from './platform';
import { queryClient } from './shared/data/client';
import { NATIVE } from './shared/data/native';
import { currentLanguage, i18n, nameThePage } from './shared/i18n';

nameThePage();
const lost = ref(false);
// Before the router looks at the address: a one-time code may be in it.
const opening = openTransport({
  language: currentLanguage,
  onSessionLost: () => (lost.value = true),
  ready: () => router.isReady(),
});
watchForLinks();
const router = pageRouter();
createApp(App, { opening, lost })
  .provide(NATIVE, openNative())
  .use(i18n)
  .use(VueQueryPlugin, { queryClient: queryClient() })
  .use(router)
  .mount('#app');
