// handlebars.
import Handlebars from 'handlebars';
Handlebars.registerHelper('loud', (text) => new Handlebars.SafeString(text.toUpperCase()));
Handlebars.registerPartial('row', '<li>{{this}}</li>');
console.log(Handlebars.compile('{{#each items}}{{> row}}{{else}}none{{/each}} {{loud name}} {{{raw}}} {{name}} {{#if (lookup flags "x")}}yes{{/if}}')({ items: ['a', '<b>'], name: 'a & b', raw: '<i>', flags: { x: true } }));
try { Handlebars.compile('{{#if}}')({}); } catch (error) { console.log(error.message.split('\n')[0]); }
console.log(Handlebars.precompile('{{a}}').length > 50);
