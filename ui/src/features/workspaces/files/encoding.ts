/** The encoding that a refusal to read as UTF-8 suggests, when it is one that can be read. */
export function suggested(args: Record<string, unknown>): string | undefined {
  const { encoding } = args;
  return typeof encoding === 'string' && /^[\w-]+$/.test(encoding) ? encoding : undefined;
}
