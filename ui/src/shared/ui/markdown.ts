/** Markdown to vnodes. What is not known here is shown as the text that it was written as. */

import { Lexer, type Token, type Tokens } from 'marked';
import { h, type VNode } from 'vue';
import { isWebAddress } from '@/platform/native';

export interface Rendering {
  /** The heading level that `#` becomes. */
  top: number;
  /** Opens an address outside of the page, where links cannot. */
  open: ((url: string) => void) | undefined;
  /** The button that copies a block of code. */
  copy(text: string): VNode;
}

type Part = VNode | string;

/** A line stays a line: manuals set facts below each other. */
export function render(text: string, how: Rendering): Part[] {
  return blocks(new Lexer({ gfm: true, breaks: true }).lex(text), how);
}

function blocks(tokens: readonly Token[], how: Rendering): Part[] {
  return tokens.flatMap((token) => block(token, how));
}

function block(token: Token, how: Rendering): Part[] {
  switch (token.type) {
    case 'space':
    case 'def':
      return [];
    case 'heading': {
      const { depth, tokens } = token as Tokens.Heading;
      return [h(`h${Math.min(6, depth + how.top - 1)}`, inline(tokens, how))];
    }
    case 'paragraph':
      return [h('p', inline((token as Tokens.Paragraph).tokens, how))];
    case 'code': {
      const { text } = token as Tokens.Code;
      const pre = h('pre', { tabindex: 0 }, h('code', text));
      return [h('div', { class: 'code' }, [pre, how.copy(text)])];
    }
    case 'blockquote':
      return [h('blockquote', blocks((token as Tokens.Blockquote).tokens, how))];
    case 'list':
      return [list(token as Tokens.List, how)];
    case 'table':
      return [table(token as Tokens.Table, how)];
    case 'hr':
      return [h('hr')];
    case 'text':
      return inline((token as Tokens.Text).tokens ?? [token], how);
    default:
      return [h('p', token.raw)];
  }
}

function list({ ordered, start, items }: Tokens.List, how: Rendering): VNode {
  const rows = items.map(({ task, checked, tokens }) => {
    const mark = task ? [checked ? '☑ ' : '☐ '] : [];
    const content = tokens.filter(({ type }) => type !== 'checkbox');
    return h('li', [...mark, ...blocks(content, how)]);
  });
  return ordered ? h('ol', { start: start || 1 }, rows) : h('ul', rows);
}

function table({ header, rows }: Tokens.Table, how: Rendering): VNode {
  const cells = (tag: string, row: readonly Tokens.TableCell[]) =>
    h(
      'tr',
      row.map(({ tokens }) => h(tag, inline(tokens, how))),
    );
  return h('div', { class: 'table', tabindex: 0 }, [
    h('table', [
      h('thead', [cells('th', header)]),
      h(
        'tbody',
        rows.map((row) => cells('td', row)),
      ),
    ]),
  ]);
}

function inline(tokens: readonly Token[], how: Rendering): Part[] {
  return tokens.flatMap((token) => piece(token, how));
}

function piece(token: Token, how: Rendering): Part[] {
  switch (token.type) {
    case 'text': {
      const { tokens, text } = token as Tokens.Text;
      return tokens ? inline(tokens, how) : [plain(text)];
    }
    case 'escape':
      return [(token as Tokens.Escape).text];
    case 'strong':
    case 'em':
    case 'del':
      return [h(token.type, inline(token.tokens ?? [], how))];
    case 'codespan':
      return [h('code', (token as Tokens.Codespan).text)];
    case 'br':
      return [h('br')];
    case 'link': {
      const { href, tokens } = token as Tokens.Link;
      return link(href, inline(tokens, how), how);
    }
    case 'image': {
      // Pictures of other places would tell them who reads: a link instead.
      const { href, text } = token as Tokens.Image;
      return link(href, [text || href], how);
    }
    default:
      return [token.raw];
  }
}

function link(href: string, words: Part[], how: Rendering): Part[] {
  if (!isWebAddress(href)) return words;
  const rel = 'noopener noreferrer';
  const { open } = how;
  if (!open) return [h('a', { href, rel, target: '_blank' }, words)];
  const onClick = (event: MouseEvent) => {
    event.preventDefault();
    open(href);
  };
  // The middle button would open it inside the window.
  const onAuxclick = (event: MouseEvent) => event.button === 1 && onClick(event);
  return [h('a', { href, rel, onClick, onAuxclick }, words)];
}

const NAMED: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
};

/** Character references are part of Markdown; the rest of HTML is not of ours. */
function plain(text: string): string {
  return text.replace(/&(?:#(\d{1,6})|#x([\da-f]{1,6})|(\w+));/gi, (all, decimal, hex, name) => {
    if (name !== undefined) return NAMED[String(name)] ?? all;
    const code = decimal === undefined ? parseInt(String(hex), 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
}
