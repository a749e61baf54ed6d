import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import en from './en.json';
import zhCN from './zh-CN.json';

type Messages = { [key: string]: string | Messages };

function flat(messages: Messages, prefix = ''): [key: string, text: string][] {
  return Object.entries(messages).flatMap(([key, value]) =>
    typeof value === 'string'
      ? [[prefix + key, value] as [string, string]]
      : flat(value, `${prefix}${key}.`),
  );
}

const both = { en: new Map(flat(en)), 'zh-CN': new Map(flat(zhCN)) };

it('has the same keys in both languages', () => {
  expect([...both.en.keys()].sort()).toEqual([...both['zh-CN'].keys()].sort());
  expect(both.en.size).toBeGreaterThan(50);
});

it('fills every text, with the same placeholders', () => {
  const places = (text = '') => text.match(/\{\w+\}/g)?.sort() ?? [];
  for (const [key, text] of both.en) {
    expect(text.trim(), key).not.toBe('');
    expect(both['zh-CN'].get(key)?.trim(), key).not.toBe('');
    expect(places(both['zh-CN'].get(key)), key).toEqual(places(text));
  }
});

it('has every key that a component asks for by name', () => {
  const src = join(import.meta.dirname, '..');
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.(vue|ts)$/.test(file),
  );
  const asked = files.flatMap((file) =>
    [...readFileSync(join(src, file), 'utf8').matchAll(/\bt\(\s*'([\w.]+)'/g)].map(
      ([, key]) => `${key}`,
    ),
  );
  expect(asked.length).toBeGreaterThan(30);
  expect(asked.filter((key) => !both.en.has(key))).toEqual([]);
});
