// ejs.
import ejs from 'ejs';
console.log(ejs.render('<% for (const x of list) { %><li><%= x %></li><% } %><%- raw %>', { list: ['a', '<b>'], raw: '<i>' }), await ejs.render('<%= await later %>', { later: Promise.resolve(5) }, { async: true }));
try { ejs.render('<%= missing %>', {}); } catch (error) { console.log(error.name); }
