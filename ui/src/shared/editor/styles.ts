/**
 * CodeMirror's looks, from the page's tokens, and how they get past the page's policy.
 *
 * The policy (`style-src 'self'`) forbids style elements. CodeMirror's style module makes one for
 * a document and an adopted style sheet for a shadow root, though a document can adopt sheets as
 * well. So the document is shown to it once without its `head`: it then keeps its rules in an
 * adopted sheet, and every editor of the page finds that one.
 *
 * Nothing here may point to a `data:` picture: the policy forbids those too, and the linter's own
 * underlines are such pictures.
 */

import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { StyleModule } from 'style-mod';

let adopted = false;

/** To be called before the first editor is made. */
export function adoptStyles(): void {
  if (adopted || !('adoptedStyleSheets' in document)) return;
  adopted = true;
  const headless = new Proxy(document, {
    get: (target, key) => (key === 'head' ? undefined : Reflect.get(target, key, target)),
    set: (target, key, value) => Reflect.set(target, key, value, target),
  });
  StyleModule.mount(headless, []);
}

const wavy = (colour: string) => ({
  backgroundImage: 'none',
  paddingBottom: '0',
  textDecoration: `underline wavy ${colour} 1px`,
  textUnderlineOffset: '3px',
});

const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', fontSize: 'var(--size-small)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '18px' },
  '.cm-content': { padding: '6px 0', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 8px' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': {
    border: '0',
    backgroundColor: 'transparent',
    color: 'var(--text-quiet)',
    userSelect: 'none',
  },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '28px', padding: '0 4px 0 8px' },
  '.cm-foldGutter .cm-gutterElement': { cursor: 'pointer' },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLine': { backgroundColor: 'oklch(from var(--text) l c h / 0.045)' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--text)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground':
    { backgroundColor: 'oklch(from var(--accent-fill) l c h / 0.25)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--accent-soft)',
    outline: '1px solid var(--line-strong)',
  },
  '.cm-nonmatchingBracket, &.cm-focused .cm-nonmatchingBracket': {
    backgroundColor: 'var(--bad-soft)',
  },
  '.cm-foldPlaceholder': {
    padding: '0 6px',
    border: '0',
    backgroundColor: 'var(--surface-hover)',
    color: 'var(--text-quiet)',
  },
  '.cm-placeholder': { color: 'var(--text-quiet)' },
  '.cm-searchMatch': { backgroundColor: 'var(--warn-soft)', outline: '1px solid var(--warn)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--accent-soft)' },
  '.cm-selectionMatch': { backgroundColor: 'oklch(from var(--accent-fill) l c h / 0.14)' },
  '.cm-lintRange-error': wavy('var(--bad)'),
  '.cm-lintRange-warning': wavy('var(--warn)'),
  '.cm-lintRange-info, .cm-lintRange-hint': wavy('var(--accent)'),
  '.cm-lintPoint:after': { borderBottomColor: 'var(--bad)' },
  '.cm-panels': {
    borderColor: 'var(--line)',
    backgroundColor: 'var(--surface)',
    color: 'var(--text)',
  },
  '.cm-panel.cm-search': { padding: '6px 28px 6px 8px', fontFamily: 'var(--font)' },
  '.cm-textfield': {
    border: '1px solid var(--line-control)',
    borderRadius: 'var(--radius-small)',
    backgroundColor: 'var(--surface-sunken)',
    fontSize: 'var(--size-small)',
  },
  '.cm-button': {
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius-small)',
    backgroundColor: 'var(--surface-raised)',
    backgroundImage: 'none',
    fontSize: 'var(--size-small)',
  },
  '.cm-tooltip': {
    border: '0',
    borderRadius: 'var(--radius)',
    backgroundColor: 'var(--surface-raised)',
    boxShadow: 'var(--float)',
    color: 'var(--text)',
    overflow: 'hidden',
  },
  '.cm-diagnostic': { padding: '4px 8px', fontFamily: 'var(--font)' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    maxHeight: '240px',
    fontFamily: 'var(--mono)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px 8px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--surface-chosen)',
    color: 'var(--text)',
  },
  '.cm-completionDetail': { color: 'var(--text-quiet)', fontStyle: 'normal' },
  '.cm-completionInfo': { maxWidth: '320px', padding: '6px 10px', fontFamily: 'var(--font)' },
});

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--code-key)' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'var(--code-text)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--code-number)' },
  { tag: [tags.keyword, tags.operatorKeyword, tags.self], color: 'var(--code-word)' },
  { tag: tags.comment, color: 'var(--text-quiet)', fontStyle: 'italic' },
  { tag: tags.heading, fontWeight: '600', color: 'var(--code-key)' },
  { tag: tags.strong, fontWeight: '600' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.monospace, color: 'var(--code-text)' },
  { tag: [tags.link, tags.url], color: 'var(--accent)' },
  { tag: tags.invalid, color: 'var(--bad)' },
]);

export const looks: Extension = [theme, syntaxHighlighting(colours)];
