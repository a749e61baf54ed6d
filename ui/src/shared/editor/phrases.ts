/** CodeMirror's own words, in the page's language. Its keys are its English words. */

const PHRASES: Record<string, string> = {
  Find: 'find',
  Replace: 'replace',
  next: 'next',
  previous: 'previous',
  all: 'all',
  'match case': 'matchCase',
  'by word': 'byWord',
  regexp: 'regexp',
  replace: 'replaceOne',
  'replace all': 'replaceAll',
  close: 'close',
  'current match': 'current',
  'on line': 'onLine',
  'replaced $ matches': 'replacedMany',
  'replaced match on line $': 'replacedOne',
  'Go to line': 'goToLine',
  go: 'go',
  'Fold line': 'fold',
  'Unfold line': 'unfold',
  'Folded lines': 'folded',
  'Unfolded lines': 'unfolded',
  'folded code': 'foldedCode',
  to: 'to',
  Completions: 'completions',
  'Control character': 'control',
  Diagnostics: 'problems',
  'No diagnostics': 'noProblems',
};

export function phrases(t: (key: string) => string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(PHRASES).map(([phrase, key]) => [phrase, t(`form.editor.${key}`)]),
  );
}
