import { readJson, writeWhole } from './files.ts';

/** A simulated part of the world that goes on from its file, and keeps what it knows there when it closes. */
export async function keptIn<S, T extends { snapshot(): S; close(): Promise<void> }>(
  file: string,
  resumes: boolean,
  start: (snapshot: S | undefined) => Promise<T>,
): Promise<T> {
  const part = await start(resumes ? (readJson(file) as S) : undefined);
  return {
    ...part,
    async close() {
      await part.close();
      writeWhole(file, JSON.stringify(part.snapshot()));
    },
  };
}
