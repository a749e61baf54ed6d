import { describe, expect, it } from 'vitest';
import type { ArtifactList } from '@/generated/calls';
import { PAGE } from '../model/pages';
import { pictureNumber } from '../testPictures';
import { pageOf } from './gallery';

const TOTAL = 4321;

function owner() {
  const asked: number[] = [];
  const load = async (page: number): Promise<ArtifactList> => {
    asked.push(page);
    const count = Math.max(0, Math.min(PAGE, TOTAL - page * PAGE));
    const artifacts = Array.from({ length: count }, (_, at) => pictureNumber(page * PAGE + at));
    return { artifacts, total: TOTAL };
  };
  return { asked, load };
}

describe('the page of a picture', () => {
  it('is found in a few steps, wherever it is', async () => {
    for (const at of [0, 1, PAGE - 1, PAGE, 1999, 2000, TOTAL - 2, TOTAL - 1]) {
      const { asked, load } = owner();
      const found = await pageOf(pictureNumber(at), load);
      expect(found?.page, `${at}`).toBe(Math.floor(at / PAGE));
      expect(found?.list.artifacts[at % PAGE]?.id).toBe(pictureNumber(at).id);
      expect(asked.length).toBeLessThanOrEqual(8);
    }
  });

  it('is none for what is not there', async () => {
    const stranger = { id: 'stranger', createdAt: pictureNumber(2000).createdAt - 1 };
    expect(await pageOf(stranger, owner().load)).toBeUndefined();
    const older = { id: 'older', createdAt: 0 };
    expect(await pageOf(older, owner().load)).toBeUndefined();
    const newer = { id: 'newer', createdAt: Date.UTC(2030, 0) };
    expect(await pageOf(newer, owner().load)).toBeUndefined();
    const none = async () => ({ artifacts: [], total: 0 });
    expect(await pageOf(stranger, none)).toBeUndefined();
  });
});
