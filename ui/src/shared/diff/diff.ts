/** A unified difference as rows with their line numbers. */

export interface DiffRow {
  kind: 'same' | 'added' | 'removed' | 'hunk' | 'note';
  text: string;
  /** Line numbers, from 1, where the line is on that side. */
  old?: number;
  new?: number;
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)$/;

export function diffRows(unified: string): DiffRow[] {
  const rows: DiffRow[] = [];
  let [oldLine, newLine] = [0, 0];
  // What the head of the hunk has promised: only so long may a line begin with `-` or `+`.
  let [oldLeft, newLeft] = [0, 0];
  const lines = unified.split('\n');
  if (lines.at(-1) === '') lines.pop();
  for (const line of lines) {
    const head = HUNK.exec(line);
    if (head && oldLeft <= 0 && newLeft <= 0) {
      [oldLine, newLine] = [Number(head[1]), Number(head[3])];
      [oldLeft, newLeft] = [Number(head[2] ?? 1), Number(head[4] ?? 1)];
      rows.push({ kind: 'hunk', text: line });
    } else if (line.startsWith('\\')) {
      rows.push({ kind: 'note', text: line.slice(2) });
    } else if (oldLeft <= 0 && newLeft <= 0) {
      // The names of the two files, before the first hunk.
      continue;
    } else if (line.startsWith('+')) {
      rows.push({ kind: 'added', text: line.slice(1), new: newLine++ });
      newLeft -= 1;
    } else if (line.startsWith('-')) {
      rows.push({ kind: 'removed', text: line.slice(1), old: oldLine++ });
      oldLeft -= 1;
    } else {
      rows.push({ kind: 'same', text: line.slice(1), old: oldLine++, new: newLine++ });
      oldLeft -= 1;
      newLeft -= 1;
    }
  }
  return rows;
}
