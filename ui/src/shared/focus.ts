/** Whether a dialog has the focus, the palette for one: what arrives behind it does not take the focus away. */
export const isInDialog = (): boolean => document.activeElement?.closest('[role=dialog]') != null;
