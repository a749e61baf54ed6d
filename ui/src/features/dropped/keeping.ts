/** Takes the content of a file in: a picture into the gallery, a document as a notebook. */

import { notebookOf } from '@/features/cells/model';
import { outcomeOf } from '@/features/canvas/scratchpad/outcome';
import { CallError, type Params, type Result } from '@/platform';

/** Makes the call of this name. */
type Make<N extends 'run_javascript' | 'cells.create'> = (params: Params<N>) => Promise<Result<N>>;

/** Bytes of a file. The shell reads no more either. */
export const MOST = 8 << 20;

/** The gallery keeps what scripts draw; this is the shortest one. */
const DRAWN = `const picture = new Image();
picture.src = input.picture;
await picture.decode();
getCanvas(picture.width, picture.height).getContext('2d').drawImage(picture, 0, 0);`;

/** Its address in the gallery. */
export async function keepPicture(
  run: Make<'run_javascript'>,
  name: string,
  content: Blob,
): Promise<string> {
  check(content);
  // The first comment of a script is the title of its picture.
  const title = name.replace(/\p{Cc}/gu, ' ');
  const params = { code: `// ${title}\n${DRAWN}`, input: { picture: await dataUrl(content) } };
  const outcome = outcomeOf(await run(params));
  if (!outcome.ok && outcome.failure.code !== 'js_execution_failed') {
    throw new CallError(outcome.failure);
  }
  if (!outcome.ok || outcome.picture === undefined) {
    throw new CallError({ code: 'dropped_no_picture' });
  }
  return `/canvas/${outcome.picture}`;
}

/** The address of the new notebook. Nothing of it is run. */
export async function keepNotebook(
  create: Make<'cells.create'>,
  name: string,
  content: Blob,
): Promise<string> {
  check(content);
  const { canvas } = await create(notebookOf(name, await content.text()));
  return `/cells/${encodeURIComponent(canvas.id)}`;
}

function check({ size }: Blob): void {
  if (size > MOST) {
    throw new CallError({ code: 'dropped_too_large', args: { megabytes: MOST >> 20 } });
  }
}

function dataUrl(content: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new CallError({ code: 'dropped_not_read' }));
    reader.readAsDataURL(content);
  });
}
