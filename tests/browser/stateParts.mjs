// What brings a page into a state: answers in the server's place, waiting, many rows, keys.

import { painted } from './browser.mjs';
import { settled } from './walk.mjs';

const MANY = 10_000;

/** Answers a call of the page in the server's place, from now on and after a reload. */
export async function instead(page, calls, answer) {
  await page.route(
    (url) => calls.some((call) => url.pathname === `/api/${call}`),
    (route) => answer(route),
  );
  await page.reload();
}

export const json = (route, status, body) =>
  route.fulfill({
    status,
    contentType: 'application/json',
    body: JSON.stringify(body),
  });

export const failing = (...calls) => ({
  act: async ({ page }) => {
    await instead(page, calls, (route) =>
      json(route, 422, {
        code: 'store_failed',
        message: 'The database could not be read: disk I/O error',
        hint: 'Look whether the disk is full, then try again.',
        args: {},
      }),
    );
    await page.getByRole('alert').first().waitFor();
  },
  undo: ({ page }) => page.unrouteAll({ behavior: 'ignoreErrors' }),
});

export const waiting = (...calls) => ({
  act: async ({ page }) => {
    await instead(page, calls, () => undefined);
    await page.locator('[aria-busy="true"]').first().waitFor();
    await painted(page);
  },
  undo: ({ page }) => page.unrouteAll({ behavior: 'ignoreErrors' }),
});

/** `rows` of the answer, again and again until there are many. */
export const many = (call, key, named) => ({
  act: async ({ page }) => {
    let all;
    await instead(page, [call], async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      const { page: wanted } = route.request().postDataJSON() ?? {};
      all ??= body[key];
      const from = wanted?.offset ?? 0;
      const count = Math.min(wanted?.limit ?? MANY, MANY - from);
      body[key] = Array.from({ length: count }, (_, index) =>
        named(all[(from + index) % all.length], from + index),
      );
      if (body.total !== undefined) body.total = MANY;
      await route.fulfill({ response, json: body });
    });
    await settled(page);
    await page
      .locator('.virtual-list')
      .first()
      .evaluate((one) => (one.scrollTop = 120_000));
    await settled(page);
  },
  undo: ({ page }) => page.unrouteAll({ behavior: 'ignoreErrors' }),
});

/** The first field for a number. */
export const number = (page) => page.locator('input[inputmode="decimal"]').first();
export const button = (page, name) => page.getByRole('button', { name, exact: true });

export const escape = { undo: ({ page }) => page.keyboard.press('Escape') };
