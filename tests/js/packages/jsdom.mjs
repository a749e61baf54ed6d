// jsdom: documents, events, parsing, styles; without scripts in pages.
import { JSDOM } from 'jsdom';
const { window } = new JSDOM('<!doctype html><title>t</title><ul id=l><li class=a>1<li>2</ul>', { url: 'https://example.org/a?b=1' });
const { document } = window;
console.log(document.title, document.querySelectorAll('li').length, document.querySelector('.a').textContent, window.location.search);
document.querySelector('ul').addEventListener('click', (e) => console.log('clicked', e.target.tagName));
document.querySelector('li').click();
document.body.insertAdjacentHTML('beforeend', '<p>x</p>');
console.log(
  document.body.lastChild.outerHTML,
  new window.DOMParser().parseFromString('<a><b/></a>', 'text/xml').documentElement.outerHTML,
  window.getComputedStyle(document.body).display,
);
window.close();
