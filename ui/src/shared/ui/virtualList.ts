/** What VirtualList exposes; its own type is generic and cannot be named. */
export interface VirtualListHandle {
  scrollToIndex(index: number, align?: 'auto' | 'start' | 'center' | 'end'): void;
  /** The element that scrolls. */
  element: HTMLElement | null;
}
