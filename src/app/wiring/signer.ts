import { type Atoms, atoms } from '../../kernel/amount.ts';
import { Secret } from '../../kernel/secret.ts';
import type { SignerConfig } from '../../signer/start-signer.ts';
import { VENUE } from '../../world/venues/index.ts';
import type { Config } from '../config.ts';
import { bridgeOf, venueTokensOf } from './venue.ts';

export function signerConfigOf(config: Config): SignerConfig {
  const { signer, chains, keys } = config;
  const { assets, chains: perChain, trades } = signer.limits;
  return {
    seedFile: signer.seedFile,
    passphrase: new Secret(signer.passphrase),
    journalFile: signer.journal,
    socketPath: signer.socket,
    bindingKey: new Secret<Uint8Array>(Buffer.from(keys.binding, 'hex')),
    chains,
    venue: {
      chainId: VENUE.chainId,
      usdc: VENUE.coin,
      bridge: bridgeOf(config),
      markets: 'any',
      tokens: venueTokensOf(config),
    },
    treasury: [],
    limits: {
      assets: mapValues(assets, ({ perTransfer, perDay }) => ({ perTransfer: cap(perTransfer), perDay: cap(perDay) })),
      otherAssets: undefined,
      chains: mapValues(perChain, ({ gas, cost }) => ({ gas: cap(gas), cost: cap(cost) })),
      trades: {
        baseDecimals: VENUE.decimals,
        quoteDecimals: VENUE.decimals,
        size: cap(trades.size),
        notional: cap(trades.notional),
        notionalPerDay: cap(trades.notionalPerDay),
        price: undefined,
      },
    },
  };
}

const cap = (text: string): Atoms => atoms(BigInt(text));

function mapValues<T, U>(record: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
