/** Whoever reckons for long lets others of the process have their turn in between. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
