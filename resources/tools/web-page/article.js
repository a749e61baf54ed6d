/**
 * 一页里哪一部分是正文：去掉菜单、广告、页脚，再按文字和链接的比例找出最像的那一块。
 *
 * 这里有意不做的事：为某个网站写的规则。
 */
import { elements, find, textOf } from './html.js';

const NEVER = new Set(['script', 'style', 'noscript', 'template', 'iframe', 'svg', 'canvas', 'object', 'embed', 'button', 'select', 'input', 'textarea', 'dialog', 'link', 'meta']);
const AROUND = new Set(['nav', 'aside', 'footer']);
const ROLES = new Set(['navigation', 'complementary', 'banner', 'contentinfo', 'search', 'menu', 'dialog']);
const NOISE = /(?:^|[\s_-])(?:ads?|advert\w*|banner|breadcrumbs?|comments?|cookie\w*|menu|nav\w*|newsletter|pagination|popup|promo\w*|related|share|sharing|sidebar|social|sponsor\w*|subscribe|toolbar)(?:$|[\s_-])/i;

function isHidden({ attributes }) {
  return 'hidden' in attributes || attributes['aria-hidden'] === 'true' || /display\s*:\s*none|visibility\s*:\s*hidden/i.test(attributes.style ?? '');
}

const isNoise = (node) =>
  AROUND.has(node.name) || ROLES.has(node.attributes.role ?? '') || NOISE.test(`${node.attributes.class ?? ''} ${node.attributes.id ?? ''}`);

/** 去掉从来不是内容的；`strict` 时连周边的也去掉。 */
export function cleaned(node, strict) {
  const children = [];
  for (const child of node.children) {
    if (typeof child === 'string') children.push(child);
    else if (!NEVER.has(child.name) && !isHidden(child) && !(strict && isNoise(child) && !['body', 'html', 'main', 'article'].includes(child.name))) {
      children.push(cleaned(child, strict));
    }
  }
  return { ...node, children };
}

/** 文字多、链接少、段落多的得分高；自下而上，每个节点只看一次。 */
function scored(node, best) {
  let text = 0;
  let linked = 0;
  let own = 0;
  for (const child of node.children) {
    if (typeof child === 'string') {
      text += child.replace(/\s+/g, ' ').trim().length;
      continue;
    }
    const inner = scored(child, best);
    text += inner.text;
    linked += child.name === 'a' ? inner.text : inner.linked;
    // 隔一层的段落算一半：正文是直接装着段落的那一块，不是整页。
    own += (['p', 'pre', 'blockquote', 'ul', 'ol', 'table'].includes(child.name) ? Math.max(0, inner.text - inner.linked * 2) : 0) + inner.own / 2;
  }
  if (own > best.score && !['p', 'a', 'li', 'span', 'tr', 'td'].includes(node.name)) {
    best.node = node;
    best.score = own;
  }
  return { text, linked, own };
}

const length = (node) => textOf(node).replace(/\s+/g, '').length;

/** 正文。网页自己说了就听它的；太短的不信。 */
export function mainOf(root) {
  const body = find(root, (node) => node.name === 'body') ?? root;
  const tree = cleaned(body, true);
  const whole = length(tree);
  for (const name of ['article', 'main']) {
    const all = [];
    const collect = (node) => elements(node).forEach((child) => (child.name === name || (name === 'main' && child.attributes.role === 'main') ? all.push(child) : collect(child)));
    collect(tree);
    if (all.length === 1 && length(all[0]) > Math.min(200, whole * 0.4)) return all[0];
  }
  const best = { node: tree, score: 0 };
  scored(tree, best);
  const found = length(best.node) >= whole * 0.25 ? best.node : tree;
  return length(found) === 0 ? cleaned(body, false) : found;
}

/** 标题、介绍等，网页自己说的。 */
export function aboutOf(root, base) {
  const meta = {};
  const collect = (node) => {
    for (const child of elements(node)) {
      const key = (child.attributes.property ?? child.attributes.name ?? '').toLowerCase();
      if (child.name === 'meta' && key !== '' && !(key in meta)) meta[key] = child.attributes.content ?? '';
      collect(child);
    }
  };
  collect(find(root, (node) => node.name === 'head') ?? root);
  const title = find(root, (node) => node.name === 'title');
  const html = find(root, (node) => node.name === 'html');
  const canonical = find(root, (node) => node.name === 'link' && /\bcanonical\b/i.test(node.attributes.rel ?? ''));
  const found = {
    title: (title === undefined ? '' : textOf(title).replace(/\s+/g, ' ').trim()) || meta['og:title'],
    description: meta.description ?? meta['og:description'],
    site: meta['og:site_name'],
    author: meta.author ?? meta['article:author'],
    published: meta['article:published_time'] ?? meta.date,
    language: html?.attributes.lang,
    canonical: canonical === undefined ? undefined : absolute(canonical.attributes.href, base),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => typeof value === 'string' && value.trim() !== ''));
}

/** 完整的地址；javascript: 之类的不要。 */
export function absolute(href, base) {
  try {
    const url = new URL(href ?? '', base);
    return ['http:', 'https:', 'mailto:', 'tel:'].includes(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}
