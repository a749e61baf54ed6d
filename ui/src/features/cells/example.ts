/** Cells that show what a notebook can do: they share what they make, ask, draw, and need each other. */

type Words = (key: string) => string;

export function exampleOf(t: Words): string {
  const cell = (seq: number, type: string, text: string, needs: number[] = [], more = '') => {
    const needed = needs.map((at) => `<cell originator="User" seq="${at}"/>`).join('');
    const depends = needed && `<depends_on>${needed}</depends_on>`;
    return `<Cell originator="User" seq="${seq}" type="${type}"${more}>${depends}<value><![CDATA[${text}]]></value></Cell>`;
  };
  const script = ' execution_context="javascript"';
  return `<Canvas>
${cell(0, 'MARKDOWN', t('cells.example.text'))}
${cell(1, 'EXEC', 'const radius = 60;\nradius', [], script)}
${cell(2, 'EXEC', `const name = input('${t('cells.example.ask')}');\nprint(\`${t('cells.example.hello')} \${name}\`);`, [], script)}
${cell(
  3,
  'EXEC',
  `const ctx = getCanvas(240, 160).getContext('2d');
ctx.fillStyle = 'steelblue';
ctx.beginPath();
ctx.arc(120, 80, radius, 0, Math.PI * 2);
ctx.fill();
Math.PI * radius ** 2`,
  [1],
  script,
)}
</Canvas>
`;
}
