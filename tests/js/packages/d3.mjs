// d3.
import * as d3 from 'd3';
console.log(d3.scaleLinear([0, 10], [0, 100])(5), d3.extent([3, 1, 2]), d3.group(['a', 'bb', 'c'], (x) => x.length), d3.line()([[0, 0], [1, 2]]), d3.csvParse('a,b\n1,2').map((row) => ({ ...row })), d3.format(',.2f')(1234.5), d3.utcFormat('%Y-%m-%d')(new Date(0)), d3.interpolateRgb('red', 'blue')(0.5), d3.ticks(0, 1, 4), d3.geoMercator()([10, 20]).map(Math.round));
console.log(d3.hierarchy({ children: [{}, { children: [{}] }] }).height, d3.pie()([1, 2]).length, d3.scaleTime([new Date(0), new Date(1e9)], [0, 1]).nice().ticks(3).length, d3.color('steelblue').formatHex());
