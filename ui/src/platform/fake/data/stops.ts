/** Runs of the fake owner that are open, and how each is called off. */
export const stops = new Map<string, () => void>();
