// cheerio.
import * as cheerio from 'cheerio';
const $ = cheerio.load('<ul id="l"><li class="a">one</li><li>two &amp; three</li></ul><a href="/x">y</a>');
$('li').addClass('item').first().after('<li>new</li>');
console.log($('#l li').map((at, one) => $(one).text()).get(), $('a').attr('href'), $('.item').length, $.html('#l'), $('li:contains("two")').index());
