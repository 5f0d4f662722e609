import { Type } from '@sinclair/typebox';
import { Atomic, ChainNumber, oneOf } from '../wire-schemas.ts';

/** Why a blocked refund is not made for now. */
const KeptDetails = Type.Object(
  {
    reason: oneOf('worth_too_little', 'unlisted_token'),
    message: Type.String(),
    networkCost: Atomic,
    networkCostAsset: Type.String({ description: "Symbol of the chain's own coin." }),
    leastAmount: Type.Optional(Atomic),
  },
  { description: 'Why a blocked refund is not made for now. What comes later is joined with it.' },
);

export const RefundRecoveryV2 = Type.Object({
  kind: oneOf('wrong_chain', 'source', 'table_deposit'),
  asset: Type.String({ description: 'Symbol of what is returned.' }),
  chain: Type.String({ description: 'Name of the chain it is returned on.' }),
  chainId: ChainNumber,
  token: Type.String(),
  decimals: Type.Optional(Type.Integer({ description: 'Absent for a token that nobody lists.' })),
  amount: Atomic,
  phase: oneOf('address_required', 'checking', 'queued', 'sending', 'completed', 'blocked'),
  suggestedAddress: Type.Optional(Type.String()),
  deducted: Type.Optional(
    Type.Unsafe<string>({ ...Atomic, description: 'Network cost of the refund, which is not part of amount.' }),
  ),
  details: Type.Optional(KeptDetails),
});
