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

/** 说有没有、而不是说它是什么的类名：has-sidebar 是正文旁边有侧栏。 */
const ABOUT_OTHERS = /(?:^|(?<=[\s_-]))(?:no|has|with|without)-\w+/gi;

function isHidden({ attributes }) {
  return 'hidden' in attributes || attributes['aria-hidden'] === 'true' || /display\s*:\s*none|visibility\s*:\s*hidden/i.test(attributes.style ?? '');
}

const isMain = (node) => node.name === 'main' || node.attributes.role === 'main';
const isAround = (node) => AROUND.has(node.name) || ROLES.has(node.attributes.role ?? '');
const isNoise = ({ attributes }) => NOISE.test(`${attributes.class ?? ''} ${attributes.id ?? ''}`.replace(ABOUT_OTHERS, ''));

/** 每个节点里有多少字、几篇 article、有没有 main；自下而上，只看一次。 */
function measured(node, sizes) {
  const size = { text: 0, articles: node.name === 'article' ? 1 : 0, main: isMain(node) };
  for (const child of node.children) {
    if (typeof child === 'string') size.text += child.replace(/\s+/g, '').length;
    else if (!NEVER.has(child.name) && !isHidden(child)) {
      const inner = measured(child, sizes);
      size.text += inner.text;
      size.articles += inner.articles;
      size.main ||= inner.main;
    }
  }
  sizes.set(node, size);
  return size;
}

/** 类名像周边、其实装着正文的不去掉。只装着几篇 article 的可以：那多半是“相关文章”。 */
function isDropped(node, { sizes, whole }) {
  if (isMain(node) || ['body', 'html', 'article'].includes(node.name)) return false;
  const { text, articles, main } = sizes.get(node);
  if (main || (articles > 0 && articles === whole.articles)) return false;
  return isAround(node) || (isNoise(node) && text * 2 <= whole.text);
}

/** 去掉从来不是内容的；`around` 时连周边的也去掉。 */
function kept(node, around) {
  const children = [];
  for (const child of node.children) {
    if (typeof child === 'string') children.push(child);
    else if (!NEVER.has(child.name) && !isHidden(child) && !(around !== null && isDropped(child, around))) children.push(kept(child, around));
  }
  return { ...node, children };
}

export function cleaned(node, strict) {
  if (!strict) return kept(node, null);
  const sizes = new Map();
  return kept(node, { whole: measured(node, sizes), sizes });
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
    const collect = (node) => elements(node).forEach((child) => ((name === 'main' ? isMain(child) : child.name === name) ? all.push(child) : collect(child)));
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
