// Runs without the program: node --test test/

import assert from 'node:assert/strict';
import { test } from 'node:test';
import tool from '../{{tool}}.tool.js';

/** As much of `this` as the tool uses. */
function context() {
  const kept = new Map();
  return {
    ...tool,
    api: {
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      environment: { get: () => undefined, set() {} },
      storage: {
        getItem: (key) => kept.get(key),
        setItem: (key, value) => kept.set(key, value),
      },
      progress() {},
    },
  };
}

test('greets in the language that was asked for, and counts', async () => {
  const self = context();
  const greet = (parameters) => tool.execute.call(self, parameters);
  assert.deepEqual(await greet({ name: 'Ada' }), { greeting: 'Hello, Ada!', count: 1 });
  assert.deepEqual(await greet({ name: 'Ada', language: 'fr' }), { greeting: 'Bonjour, Ada!', count: 2 });
});

test('an empty name is a business error', async () => {
  const [known] = tool.getBusinessErrors();
  await assert.rejects(tool.execute.call(context(), { name: ' ' }), (error) => {
    assert.equal(error.code, known.code);
    return known.match.test(error.message);
  });
});
