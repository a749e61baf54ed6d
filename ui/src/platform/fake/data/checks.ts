/** What checks of the fake tools find. */

import type {
  CheckFinding,
  CheckLayer,
  CheckLevel,
  ToolRow,
  ToolValidated,
} from '@/generated/calls';

const CHECKS: [CheckLayer, basic: number, full: number][] = [
  ['files', 7, 7],
  ['interface', 17, 17],
  ['metadata', 14, 14],
  ['schema', 23, 23],
  ['methods', 22, 22],
  ['parameters', 2, 9],
  ['results', 0, 8],
  ['errors', 9, 13],
  ['dependencies', 11, 11],
  ['environment', 13, 13],
  ['integration', 0, 14],
];

function found(
  layer: CheckLayer,
  severity: CheckFinding['severity'],
  [code, message, hint]: [string, string, string],
  place: CheckFinding['place'],
): CheckFinding {
  return { layer, severity, about: { code, message, hint, args: {} }, ...(place && { place }) };
}

function findingsOf({ name }: ToolRow, level: CheckLevel): CheckFinding[] {
  const at = (line: number, column: number) => ({ file: `${name}.tool.js`, line, column });
  if (name !== 'csv-clean') return [];
  const said = found(
    'metadata',
    'error',
    [
      'metadata_version_format',
      'The version 1.2 is not a semantic version',
      'Write it as major.minor.patch, for example 1.0.0.',
    ],
    at(12, 7),
  );
  const done = found(
    'errors',
    'warning',
    [
      'error_text_short',
      'The text of an error has fewer than 10 characters and may tell too little: bad row',
      'Say what has happened, which parameter is wrong and what to do.',
    ],
    at(48, 13),
  );
  return level === 'full' ? [said, done] : [said];
}

export function checksOf(tool: ToolRow, level: CheckLevel): ToolValidated {
  const findings = findingsOf(tool, level);
  const worst = (layer: CheckLayer) =>
    findings.find((finding) => finding.layer === layer)?.severity;
  const count = (severity: string) =>
    findings.filter((finding) => finding.severity === severity).length;
  return {
    tool: tool.name,
    level,
    layers: CHECKS.map(([layer, basic, full]) => {
      const checks = level === 'full' ? full : basic;
      const severity = worst(layer);
      if (severity === 'error') return { layer, checks, state: 'failed' };
      if (severity === 'warning') return { layer, checks, state: 'warned' };
      return { layer, checks, state: checks === 0 ? 'unchecked' : 'passed' };
    }),
    findings,
    errors: count('error'),
    warnings: count('warning'),
    tookMs: 12,
  };
}
