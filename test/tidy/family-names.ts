import type { Violation } from './imports.ts';
import { lineAt, type Source } from './source.ts';

/** What else may say the name of a family, each with its reason. The interface is a contract: its words stay. */
export const NAMED_ELSEWHERE: Readonly<Record<string, string>> = {
  'src/api/generated/examples.ts': 'written by the generator from what the service answers, names of chains included',
  'src/api/v1/bridge.ts': 'the interface shows the venue by its name',
  'src/world/venues/hyperliquid/rules.ts': 'the venue has a side of its own that is called by this word',
  'src/signer/rails/hyperliquid.ts': 'its account is, by the rules of its bridge, the one of its home chain',
};

/** Where a family lives: its folder, its rail, and the lists. A coin of Bitcoin's kind lives in Bitcoin's folder. */
const HOMES = (name: string): RegExp =>
  new RegExp(
    `^src/(?:world/(?:chains|venues)/(?:${name}/|index\\.ts$)|signer/rails/(?:${name}(?:-[a-z]+)?|index)\\.ts$)`,
  );

/** The family values tell what families there are. */
export function familiesOf(files: readonly Source[]): readonly string[] {
  return files.flatMap(({ path }) => /^src\/world\/(?:chains|venues)\/([a-z]+)\/family\.ts$/.exec(path)?.[1] ?? []);
}

export function familiesNamedElsewhere(files: readonly Source[]): Violation[] {
  const names = familiesOf(files);
  const homes = new Map(names.map((name) => [name, HOMES(name)]));
  return files
    .filter(({ path }) => /^src\/.*\.ts$/.test(path) && !Object.hasOwn(NAMED_ELSEWHERE, path))
    .flatMap(({ path, text }) =>
      names
        .filter((name) => homes.get(name)?.test(path) === false)
        .flatMap((name) => {
          const at = text.toLowerCase().indexOf(name);
          return at < 0
            ? []
            : [`${path}:${lineAt(text, at)}: names ${name}, which is known to its own parts and the lists`];
        }),
    );
}
