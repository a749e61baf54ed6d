// First, so that a part's own style wins over what every element starts from.
import './shared/styles/tokens.css';
import './shared/styles/base.css';

import { VueQueryPlugin } from '@tanstack/vue-query';
import { createApp } from 'vue';
import App from './App.vue';
import { queryClient } from './shared/data/client';
import { i18n, nameThePage } from './shared/i18n';

nameThePage();
createApp(App).use(i18n).use(VueQueryPlugin, { queryClient: queryClient() }).mount('#app');
