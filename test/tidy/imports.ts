import { ROOMS, type Room, within } from './house.ts';
import { type Import, importsOf, lineAt, type Source } from './source.ts';

/** `file:line: what is wrong`. */
export type Violation = string;

const SCRIPT = /\.(?:ts|tsx|js|mjs|cjs)$/;
const inSource = (files: readonly Source[]): Source[] =>
  files.filter(({ path }) => /^(?:(?:src|sandbox)\/.*\.ts|web\/.*\.tsx?)$/.test(path));

interface Place {
  readonly room: Room;
  readonly member: string | undefined;
}

function placeOf(path: string): Place | undefined {
  for (const room of ROOMS) {
    const found = within(path, room.at);
    if (found) return { room, member: found.member };
  }
  return undefined;
}

export function filesInNoRoom(files: readonly Source[]): Violation[] {
  return files
    .filter(({ path }) => /^(?:src\/|web\/|sandbox\/.*\.ts$)/.test(path) && placeOf(path) === undefined)
    .map(({ path }) => `${path}:1: lies in no room of the house`);
}

export function forbiddenImports(files: readonly Source[]): Violation[] {
  return inSource(files).flatMap((file) => {
    const place = placeOf(file.path);
    if (place === undefined) return [];
    return importsOf(file)
      .filter((found) => !mayImport(place, found))
      .map(
        ({ target, offset }) => `${file.path}:${lineAt(file.text, offset)}: ${place.room.at} may not import ${target}`,
      );
  });
}

function mayImport({ room, member = '' }: Place, { target, typeOnly }: Import): boolean {
  if (!/^(?:src|sandbox|test|bench|web|sdk|scripts)\//.test(target)) return room.packages?.includes(target) ?? true;
  return [room.at, ...room.may].some((allowed) => {
    const at = allowed.replace(/^type /, '').replace(':member', member);
    return (typeOnly || !allowed.startsWith('type ')) && within(target, at) !== undefined;
  });
}

/** Each cycle once, from its first file in the alphabet. */
export function importCycles(files: readonly Source[]): Violation[] {
  const scripts = files.filter(({ path }) => SCRIPT.test(path));
  const edges = new Map(scripts.map((file) => [file.path, importsOf(file).map(({ target }) => target)]));
  const done = new Set<string>();
  const cycles: Violation[] = [];
  const visit = (path: string, trail: readonly string[]) => {
    if (trail.includes(path)) {
      cycles.push(`${path}:1: imports itself by way of ${[...trail.slice(trail.indexOf(path) + 1), path].join(' → ')}`);
      return;
    }
    if (done.has(path)) return;
    for (const next of edges.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of [...edges.keys()].sort()) visit(path, []);
  return cycles;
}
