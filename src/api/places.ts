/** Bounds how many are somewhere at once under each name, in this process. */
export const openPlaces = (most: number) => {
  const counts = new Map<string, number>();
  return {
    isFull: (who: string) => (counts.get(who) ?? 0) >= most,
    /** A place is taken at once, so that those who come together cannot all see the last free one. Returns how to leave. */
    take(who: string): () => void {
      counts.set(who, (counts.get(who) ?? 0) + 1);
      return () => {
        const left = (counts.get(who) ?? 0) - 1;
        if (left > 0) counts.set(who, left);
        else counts.delete(who);
      };
    },
  };
};
