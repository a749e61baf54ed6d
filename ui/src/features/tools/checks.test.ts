// @vitest-environment happy-dom
import { flushPromises } from '@vue/test-utils';
import { afterEach, expect, it } from 'vitest';
import type { ToolValidate } from '@/generated/calls';
import { checksOf } from '@/platform/fake/data/checks';
import { TOOLS } from '@/platform/fake/data/tools';
import { mountPart, type Mounted } from '@/shared/testing';
import ChecksTab from './ChecksTab.vue';

let mounted: Mounted | undefined;
afterEach(() => mounted?.wrapper.unmount());

async function shown(name: string) {
  const tool = TOOLS.find((one) => one.name === name);
  if (!tool) throw new Error('no such tool');
  const asked: (string | undefined)[] = [];
  mounted = await mountPart(ChecksTab, {
    props: { tool: name },
    handlers: {
      'tool.validate': ({ level }: ToolValidate) => {
        asked.push(level);
        return checksOf(tool, level ?? 'full');
      },
    },
  });
  await flushPromises();
  return { wrapper: mounted.wrapper, asked };
}

it('shows eleven layers, and what is wrong where it is and how to mend it', async () => {
  const { wrapper } = await shown('csv-clean');
  expect(wrapper.findAll('[data-layer]')).toHaveLength(11);
  const metadata = wrapper.find('[data-layer=metadata]').text();
  expect(metadata).toContain('csv-clean.tool.js:12:7');
  expect(metadata).toContain('metadata_version_format');
  expect(metadata).toContain('major.minor.patch');
});

it('tries the tool out only when it is told to, and again when asked again', async () => {
  const { wrapper, asked } = await shown('csv-clean');
  expect(asked).toEqual(['basic']);
  expect(wrapper.find('[data-layer=errors] .finding').exists()).toBe(false);
  await wrapper.find('.head button').trigger('click');
  await flushPromises();
  expect(asked).toEqual(['basic', 'full']);
  expect(wrapper.find('[data-layer=errors]').text()).toContain('csv-clean.tool.js:48:13');
  await wrapper.find('.head button').trigger('click');
  await flushPromises();
  expect(asked).toEqual(['basic', 'full', 'full']);
});

it('says so when nothing is wrong', async () => {
  const { wrapper } = await shown('weather');
  expect(wrapper.findAll('.finding')).toHaveLength(0);
  expect(wrapper.find('.summary strong').exists()).toBe(true);
});
