import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

type Messages = { [key: string]: string | Messages };

const src = join(import.meta.dirname, '..');

function flat(messages: Messages, prefix: string): [key: string, text: string][] {
  return Object.entries(messages).flatMap(([key, value]) =>
    typeof value === 'string'
      ? [[`${prefix}.${key}`, value] as [string, string]]
      : flat(value, `${prefix}.${key}`),
  );
}

/** All texts of a language; the file's name is the first part of the key. */
function texts(language: string): Map<string, string> {
  const folder = join(import.meta.dirname, language);
  return new Map(
    readdirSync(folder).flatMap((file) =>
      flat(
        JSON.parse(readFileSync(join(folder, file), 'utf8')) as Messages,
        file.replace('.json', ''),
      ),
    ),
  );
}

const both = { en: texts('en'), 'zh-CN': texts('zh-CN') };

it('has the same keys in both languages', () => {
  expect([...both.en.keys()].sort()).toEqual([...both['zh-CN'].keys()].sort());
  expect(both.en.size).toBeGreaterThan(100);
});

it('fills every text, with the same placeholders', () => {
  const places = (text = '') => [...new Set(text.match(/\{\w+\}/g))].sort();
  for (const [key, text] of both.en) {
    expect(text.trim(), key).not.toBe('');
    expect(both['zh-CN'].get(key)?.trim(), key).not.toBe('');
    expect(places(both['zh-CN'].get(key)), key).toEqual(places(text));
  }
});

it('punctuates Chinese in full width', () => {
  for (const [key, text] of both['zh-CN']) {
    expect(text, key).not.toMatch(/[\u4e00-\u9fff][,;!?]/);
    expect(text, key).not.toMatch(/[\u4e00-\u9fff]\.(\s|$)/);
  }
});

it('has every key that a component asks for by name', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.(vue|ts)$/.test(file),
  );
  const asked = files.flatMap((file) =>
    [...readFileSync(join(src, file), 'utf8').matchAll(/\bt\(\s*'([\w.]+)'/g)].map(([, key]) => ({
      key: `${key}`,
      file,
    })),
  );
  expect(asked.length).toBeGreaterThan(30);
  expect(asked.filter(({ key }) => !both.en.has(key))).toEqual([]);
});
