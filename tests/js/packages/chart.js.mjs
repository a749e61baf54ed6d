// chart.js: what it writes beside its axes; drawing needs a canvas, which Node has not.
import { Chart, LinearScale, Ticks, registerables } from 'chart.js';
Chart.register(...registerables);
const scale = (locale, ticks) => ({ chart: { options: { locale } }, options: { ticks: { format: {} } }, ticks });
const ticks = [0, 250000, 500000, 1234567.5].map((value) => ({ value }));
for (const locale of ['en-US', 'de-DE', 'zh-CN', 'fr']) {
  console.log(locale, ticks.map(({ value }, at) => Ticks.formatters.numeric.call(scale(locale, ticks), value, at, ticks)), Ticks.formatters.logarithmic.call(scale(locale, ticks), 1000, 0, ticks));
}
console.log(LinearScale.id, Chart.defaults.locale ?? 'none', Object.keys(Chart.registry.controllers.items).length);
