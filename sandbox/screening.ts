import { appendFileSync, existsSync, renameSync } from 'node:fs';

/** The deny list that the service reads: one address a line. */
export interface Screening {
  sanction(address: string): void;
  /** The list is out of reach until it is brought back: nobody can be cleared. */
  takeAway(): void;
  bringBack(): void;
}

export function openScreening(file: string): Screening {
  const away = `${file}.away`;
  const move = (from: string, to: string) => {
    if (existsSync(from)) renameSync(from, to);
  };
  move(away, file);
  appendFileSync(file, '');
  return {
    sanction: (address) => appendFileSync(existsSync(away) ? away : file, `${address}\n`),
    takeAway: () => move(file, away),
    bringBack: () => move(away, file),
  };
}
