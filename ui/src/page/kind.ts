/**
 * Elements by what they are. Those of a frame are of other classes than the page's, so `instanceof` says nothing of
 * them.
 */

/** Of one namespace or another, the names are the same for what is asked here. */
interface Kinds {
  input: HTMLInputElement;
  button: HTMLButtonElement;
  select: HTMLSelectElement;
  textarea: HTMLTextAreaElement;
  img: HTMLImageElement;
  area: HTMLAreaElement;
  label: HTMLLabelElement;
  details: HTMLDetailsElement;
  fieldset: HTMLFieldSetElement;
  iframe: HTMLIFrameElement;
}

export function is<K extends keyof Kinds>(node: Node | null, kind: K): node is Kinds[K] {
  return node !== null && (node as Element).localName === kind;
}

export function isElement(node: Node): node is Element {
  return node.nodeType === Node.ELEMENT_NODE;
}

export function isShadow(node: Node | null): node is ShadowRoot {
  return node?.nodeType === Node.DOCUMENT_FRAGMENT_NODE && (node as ShadowRoot).host !== undefined;
}

/** Whom an element is drawn in, and has its style from: also across shadows and slots. */
export function parentOf(element: Element): Element | null {
  if (element.assignedSlot) return element.assignedSlot;
  const up = element.parentNode;
  if (isShadow(up)) return up.host;
  return up && isElement(up) ? up : null;
}
