import { inverse, type Ratio, ratio, scaleInt } from '../../kernel/ratio.ts';

/**
 * One step between what is sent and what arrives, in whole units. `forward` never rises above the truth for the
 * customer; undefined means that the market is not deep enough. `back` gives the smallest input from which on every
 * input yields at least that output, so steps put in sequence keep both promises.
 */
export interface Conversion {
  forward(input: bigint): bigint | undefined;
  back(output: bigint): bigint | undefined;
}

export function inSequence(...steps: readonly Conversion[]): Conversion {
  const backwards = steps.toReversed();
  return {
    forward(input) {
      let value: bigint | undefined = input;
      for (const step of steps) if (value !== undefined) value = step.forward(value);
      return value;
    },
    back(output) {
      let value: bigint | undefined = output;
      for (const step of backwards) if (value !== undefined) value = step.back(value);
      return value;
    },
  };
}

/** Says the same value in an asset with another number of decimals; what does not fit is left behind. */
export function rescaling(from: number, to: number): Conversion {
  return atRate(ratio(10n ** BigInt(to), 10n ** BigInt(from)));
}

/** Gives so many units for each unit that goes in, whatever the size. */
export function atRate(rate: Ratio): Conversion {
  const perOutput = inverse(rate);
  return {
    forward: (input) => scaleInt(input, rate, 'down'),
    back: (output) => scaleInt(output, perOutput, 'up'),
  };
}
