/** What the editor can read. Markdown is only coloured: nobody writes long texts in here. */

import { javascript, javascriptLanguage } from '@codemirror/lang-javascript';
import { json, jsonLanguage } from '@codemirror/lang-json';
import { StreamLanguage } from '@codemirror/language';
import type { CompletionSource } from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';

export type EditorLanguage = 'javascript' | 'json' | 'markdown' | 'text';

const markdown = StreamLanguage.define<{ fence: boolean }>({
  name: 'markdown',
  startState: () => ({ fence: false }),
  token(stream, state) {
    if (stream.sol()) {
      if (stream.match(/^\s*(```|~~~)/)) {
        stream.skipToEnd();
        state.fence = !state.fence;
        return 'monospace';
      }
      if (state.fence) {
        stream.skipToEnd();
        return 'monospace';
      }
      if (stream.match(/^#{1,6}\s.*/)) return 'heading';
      if (stream.match(/^\s*([-*+]|\d+[.)])\s/)) return 'keyword';
      if (stream.match(/^\s*>/)) return 'comment';
    }
    if (stream.match(/^`[^`]+`/)) return 'monospace';
    if (stream.match(/^\*\*[^*]+\*\*/)) return 'strong';
    if (stream.match(/^[*_][^*_\s][^*_]*[*_]/)) return 'emphasis';
    if (stream.match(/^!?\[[^\]]*\]\([^)]*\)/)) return 'link';
    stream.next();
    return null;
  },
});

/** Grammar and completion of a language; `source` completes what the grammar does not know. */
export function languageOf(name: EditorLanguage, source?: CompletionSource): Extension {
  switch (name) {
    case 'javascript':
      return [javascript(), source ? javascriptLanguage.data.of({ autocomplete: source }) : []];
    case 'json':
      return [json(), source ? jsonLanguage.data.of({ autocomplete: source }) : []];
    case 'markdown':
      return [markdown, source ? markdown.data.of({ autocomplete: source }) : []];
    case 'text':
      return [];
  }
}
