// What the scenes draw with, beside the canvas; pages have the same as globals.
import { readFileSync } from 'node:fs';
import { Chart } from 'chart.js/auto';
import * as d3 from 'd3-geo';
import * as echarts from 'echarts';
import * as topojson from 'topojson-client';

const world = JSON.parse(readFileSync(new URL('node_modules/world-atlas/countries-110m.json', import.meta.url), 'utf8'));
export const LIBRARIES = { Chart, d3, echarts, topojson, world };
