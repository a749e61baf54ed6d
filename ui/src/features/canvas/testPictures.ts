/** An owner with pictures, for tests: lists by page, removes and restores. */

import type { ArtifactDetail, Page } from '@/generated/calls';
import { CallError } from '@/platform';
import type { FakeHandlers } from '@/platform/fake';

const HOUR = 3_600_000;

export function pictureNumber(at: number): ArtifactDetail {
  const id = `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
  return {
    id,
    file: `${id}.png`,
    title: `Picture ${at}`,
    kind: 'image/png',
    size: 1000 + at,
    width: 400,
    height: 300,
    source: 'run_javascript',
    createdAt: Date.UTC(2026, 10, 20, 12) - at * HOUR,
    actor: { kind: 'person', name: 'web' },
    url: `/artifacts/${id}.png?sign=a`,
    thumb: `/artifacts/${id}.png?sign=a&size=thumb`,
    code: `// Picture ${at}`,
  };
}

export interface Shelf {
  pictures: ArtifactDetail[];
  handlers: FakeHandlers;
}

export function shelfOf(count: number): Shelf {
  const trash = new Map<string, ArtifactDetail>();
  const shelf: Shelf = {
    pictures: Array.from({ length: count }, (_, at) => pictureNumber(at)),
    handlers: {
      'artifact.list': ({ offset, limit }: Page) => ({
        artifacts: shelf.pictures.slice(offset, offset + limit),
        total: shelf.pictures.length,
      }),
      'artifact.show': ({ id }: { id: string }) => find(id),
      'artifact.remove': ({ id }: { id: string }) => {
        trash.set(id, find(id));
        shelf.pictures = shelf.pictures.filter((one) => one.id !== id);
        return {};
      },
      'artifact.restore': ({ id }: { id: string }) => {
        const back = trash.get(id);
        if (!back) throw new CallError({ code: 'artifact_not_found', message: 'gone for good' });
        shelf.pictures = [...shelf.pictures, back].sort((a, b) => b.createdAt - a.createdAt);
        return {};
      },
    },
  };
  function find(id: string): ArtifactDetail {
    const found = shelf.pictures.find((one) => one.id === id);
    if (!found) throw new CallError({ code: 'artifact_not_found', message: 'no such picture' });
    return found;
  }
  return shelf;
}
