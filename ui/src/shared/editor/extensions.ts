/** What every editor can do, apart from its language and its text. */

import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import {
  bracketMatching,
  codeFolding,
  foldGutter,
  foldKeymap,
  indentOnInput,
  indentUnit,
} from '@codemirror/language';
import { setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension, type Text, type TransactionSpec } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  tooltips,
} from '@codemirror/view';
import { looks } from './styles';

/** Something wrong in the text; line and column count from 1. */
export interface EditorProblem {
  line: number;
  column: number;
  message: string;
  severity?: 'error' | 'warning' | 'info';
}

/** Control+Enter runs what the page shows; a new line is Enter. */
const keys = defaultKeymap.filter(({ key }) => key !== 'Mod-Enter');

export function common(): Extension {
  return [
    looks,
    lineNumbers(),
    foldGutter(),
    codeFolding(),
    highlightSpecialChars(),
    drawSelection(),
    bracketMatching(),
    highlightSelectionMatches(),
    search({ top: true }),
    // In a frame that is cut off at its edge, a list of completions would be cut off as well.
    tooltips({ parent: document.body }),
    EditorView.lineWrapping,
    EditorState.tabSize.of(2),
    indentUnit.of('  '),
    keymap.of([...keys, ...searchKeymap, ...foldKeymap]),
  ];
}

/**
 * Tab indents; after Escape it leaves the editor (CodeMirror's own rule), so that nobody is caught.
 * A text that is only read does not take Tab at all.
 */
export function writing(): Extension {
  return [
    history(),
    indentOnInput(),
    closeBrackets(),
    autocompletion({ icons: false }),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    keymap.of([...closeBracketsKeymap, ...historyKeymap, ...completionKeymap, indentWithTab]),
  ];
}

export function reading(): Extension {
  return [EditorState.readOnly.of(true), EditorView.editable.of(true)];
}

/** Marks of the problems; one that points outside of the text is marked at its nearest place. */
export function marks(state: EditorState, problems: readonly EditorProblem[]): TransactionSpec {
  return setDiagnostics(
    state,
    problems.map((problem) => diagnostic(state.doc, problem)),
  );
}

/** Position of a line and a column, both from 1. */
export function offsetOf(doc: Text, line: number, column: number): number {
  const found = doc.line(Math.min(Math.max(1, Math.trunc(line) || 1), doc.lines));
  return Math.min(found.from + Math.max(0, Math.trunc(column) - 1 || 0), found.to);
}

function diagnostic(doc: Text, problem: EditorProblem): Diagnostic {
  const from = offsetOf(doc, problem.line, problem.column);
  const end = doc.lineAt(from).to;
  const word = /^[\w$]+|^./.exec(doc.sliceString(from, end))?.[0].length ?? 0;
  return {
    from,
    to: from + word,
    severity: problem.severity ?? 'error',
    message: problem.message,
  };
}
