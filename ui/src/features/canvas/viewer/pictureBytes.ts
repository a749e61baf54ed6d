/**
 * The bytes of a shown picture: to read single pixels, to copy, to save. They are fetched through
 * the same address as the picture itself when first wanted, so the browser mostly has them.
 */

import { onScopeDispose, watch } from 'vue';
import { CallError } from '@/platform';

export interface PictureBytes {
  /** Rejects with {@link CallError} `picture_not_readable`. */
  blob(): Promise<Blob>;
  /** Red, green, blue, alpha of one pixel. */
  colorAt(x: number, y: number): Promise<Uint8ClampedArray>;
}

export function usePictureBytes(url: () => string): PictureBytes {
  let loading: Promise<Blob> | undefined;
  let decoding: Promise<ImageBitmap> | undefined;
  let probe: CanvasRenderingContext2D | undefined;

  function forget() {
    // A failed decoding was told to whoever asked for it.
    void decoding?.then(
      (bitmap) => bitmap.close(),
      () => undefined,
    );
    loading = undefined;
    decoding = undefined;
  }
  watch(url, forget);
  onScopeDispose(forget);

  function blob(): Promise<Blob> {
    loading ??= load(url()).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  }

  function bitmap(): Promise<ImageBitmap> {
    decoding ??= blob()
      .then((bytes) =>
        createImageBitmap(bytes, { premultiplyAlpha: 'none', colorSpaceConversion: 'none' }),
      )
      .catch((error: unknown) => {
        decoding = undefined;
        throw error;
      });
    return decoding;
  }

  return {
    blob,
    async colorAt(x, y) {
      const source = await bitmap();
      // One pixel is enough: a canvas of the whole picture would take its memory once more.
      probe ??= onePixel();
      probe.clearRect(0, 0, 1, 1);
      probe.drawImage(source, x, y, 1, 1, 0, 0, 1, 1);
      return probe.getImageData(0, 0, 1, 1).data;
    },
  };
}

async function load(url: string): Promise<Blob> {
  const unreadable = () => new CallError({ code: 'picture_not_readable' });
  const response = await fetch(url, { credentials: 'omit' }).catch(() => undefined);
  if (!response?.ok) throw unreadable();
  return response.blob().catch(() => {
    throw unreadable();
  });
}

function onePixel(): CanvasRenderingContext2D {
  const canvas = document.createElement('canvas');
  canvas.width = 1;
  canvas.height = 1;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) throw new CallError({ code: 'picture_not_readable' });
  return context;
}
