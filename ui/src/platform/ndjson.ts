/** Longest line that is kept; a stream that exceeds it is broken or hostile. */
const LINE_LIMIT = 4 * 1024 * 1024;

/**
 * Newline-delimited JSON as it arrives, one value at a time. Empty lines are heartbeats and
 * are skipped. Throws on a line that is not JSON or too long.
 */
export async function* ndjson(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > LINE_LIMIT) throw new RangeError('line too long');
      for (const line of lines) {
        if (line.trim() !== '') yield JSON.parse(line) as unknown;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
