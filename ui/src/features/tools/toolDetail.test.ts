// @vitest-environment happy-dom
import { flushPromises } from '@vue/test-utils';
import { afterEach, expect, it } from 'vitest';
import { detailOf, TOOLS } from '@/platform/fake/data/tools';
import toolbox from '@/platform/fake/tools';
import { mountPart, type Mounted } from '@/shared/testing';
import RunTab from '@/features/runs/RunTab.vue';
import ToolDetail from './ToolDetail.vue';

let mounted: Mounted | undefined;
afterEach(() => mounted?.wrapper.unmount());

it('has the form of the new parameters when the code of the tool changes', async () => {
  const tool = TOOLS.find(({ name }) => name === 'weather');
  if (!tool) throw new Error('no such tool');
  let properties: Record<string, unknown> = { city: { type: 'string' } };
  mounted = await mountPart(ToolDetail, {
    props: { row: { tool, state: tool.state }, tab: 'run', narrow: false },
    handlers: {
      ...toolbox('full'),
      'run.list': () => ({ runs: [], total: 0 }),
      'run.active': () => ({ runs: [] }),
      'tool.show': () => ({ ...detailOf(tool), parameters: { type: 'object', properties } }),
    },
  });
  const { wrapper, client } = mounted;
  await flushPromises();
  const names = () =>
    wrapper.findAll('.fields [data-field]').map((one) => one.attributes('data-field'));
  const refetch = async () => {
    await client.invalidateQueries();
    await flushPromises();
  };
  const form = () => wrapper.findComponent(RunTab).vm.$el as Element;
  expect(names()).toContain('city');
  await wrapper.find('[data-field=city] input').setValue('Lisbon');

  const before = form();
  await refetch();
  expect(form()).toBe(before);

  properties = { city: { type: 'string' }, days: { type: 'integer' } };
  await refetch();
  expect(names()).toContain('days');
  const city = wrapper.find('[data-field=city] input').element as HTMLInputElement;
  expect(city.value).toBe('Lisbon');
});
