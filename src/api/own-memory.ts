import type { ApiDeps } from './deps.ts';

/** What one API keeps in mind for as long as it lives; two of them in one process share nothing. */
export function ownMemory<T>(open: (deps: ApiDeps) => T): (deps: ApiDeps) => T {
  const opened = new WeakMap<ApiDeps, T>();
  return (deps) => {
    const known = opened.get(deps) ?? open(deps);
    opened.set(deps, known);
    return known;
  };
}
