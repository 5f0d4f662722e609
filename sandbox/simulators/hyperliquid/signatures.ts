import {
  CancelByCloidRequest,
  CancelRequest,
  NoopRequest,
  OrderRequest,
  SendAssetTypes,
  SpotSendTypes,
  UsdClassTransferTypes,
  UsdSendTypes,
  Withdraw3Types,
} from '@nktkas/hyperliquid/api/exchange';
import { canonicalize, createL1ActionHash } from '@nktkas/hyperliquid/signing';
import { type Hex, recoverTypedDataAddress, type TypedData } from 'viem';

type Fields = Readonly<Record<string, unknown>>;

export interface SignedRequest {
  readonly action: Fields & { readonly type: string };
  readonly nonce: number;
  readonly expiresAfter: number | undefined;
  /** Lower-case address of whoever signed exactly this; a stranger's for anything altered. */
  readonly signer: string;
  readonly isUserSigned: boolean;
}

const L1_ACTIONS = {
  order: OrderRequest.entries.action,
  cancel: CancelRequest.entries.action,
  cancelByCloid: CancelByCloidRequest.entries.action,
  noop: NoopRequest.entries.action,
} as const;

const USER_ACTIONS = {
  spotSend: SpotSendTypes,
  usdSend: UsdSendTypes,
  sendAsset: SendAssetTypes,
  usdClassTransfer: UsdClassTransferTypes,
  withdraw3: Withdraw3Types,
} as const;

/** The others are stamped with a time. */
const STAMPED_BY_NONCE = new Set(['usdClassTransfer', 'sendAsset']);

const NO_CONTRACT = '0x0000000000000000000000000000000000000000';

/** Reads a request as the venue does; undefined for what it cannot deserialize. Uses none of our own signing code. */
export async function readSigned(body: unknown): Promise<SignedRequest | undefined> {
  const { action, nonce, expiresAfter, signature } = (body ?? {}) as Record<string, unknown>;
  if (!isFields(action) || typeof action.type !== 'string' || !isFields(signature)) return undefined;
  if (!Number.isSafeInteger(nonce) || !(expiresAfter === undefined || Number.isSafeInteger(expiresAfter)))
    return undefined;
  const request = { action: { ...action, type: action.type }, nonce: nonce as number, expiresAfter } as SignedRequest;
  const typed = isL1(action.type) ? l1Data(request) : isUser(action.type) ? userData(request) : undefined;
  if (!typed) return undefined;
  try {
    const signer = await recoverTypedDataAddress({ ...typed, signature: joined(signature) });
    return { ...request, signer: signer.toLowerCase(), isUserSigned: isUser(action.type) };
  } catch {
    return undefined;
  }
}

/** The venue hashes the action as it understood it, not as it was written: keys in their own order. */
function l1Data(request: SignedRequest) {
  const schema = L1_ACTIONS[request.action.type as keyof typeof L1_ACTIONS];
  const checked = schema['~standard'].validate(request.action);
  if (checked instanceof Promise || checked.issues) return undefined;
  try {
    const action = canonicalize(schema, request.action);
    const { nonce, expiresAfter } = request;
    const connectionId = createL1ActionHash({
      action: action as Record<string, unknown>,
      nonce,
      ...(expiresAfter === undefined ? {} : { expiresAfter }),
    });
    return {
      domain: { name: 'Exchange', version: '1', chainId: 1337, verifyingContract: NO_CONTRACT } as const,
      types: {
        Agent: [
          { name: 'source', type: 'string' },
          { name: 'connectionId', type: 'bytes32' },
        ],
      } as TypedData,
      primaryType: 'Agent',
      message: { source: 'a', connectionId } as Record<string, unknown>,
    };
  } catch {
    return undefined;
  }
}

function userData({ action, nonce }: SignedRequest) {
  const types = USER_ACTIONS[action.type as keyof typeof USER_ACTIONS];
  const stamp = STAMPED_BY_NONCE.has(action.type) ? action.nonce : action.time;
  if (action.hyperliquidChain !== 'Mainnet' || stamp !== nonce) return undefined;
  if (typeof action.signatureChainId !== 'string' || !/^0x[0-9a-f]{1,12}$/.test(action.signatureChainId))
    return undefined;
  const chainId = Number(action.signatureChainId);
  return {
    domain: { name: 'HyperliquidSignTransaction', version: '1', chainId, verifyingContract: NO_CONTRACT } as const,
    types: types as TypedData,
    primaryType: Object.keys(types)[0] ?? '',
    message: action as Record<string, unknown>,
  };
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const isL1 = (type: string): type is keyof typeof L1_ACTIONS => Object.hasOwn(L1_ACTIONS, type);
const isUser = (type: string): type is keyof typeof USER_ACTIONS => Object.hasOwn(USER_ACTIONS, type);

function joined(signature: Fields): Hex {
  const part = (value: unknown): string => String(value).slice(2).padStart(64, '0');
  return `0x${part(signature.r)}${part(signature.s)}${Number(signature.v).toString(16)}`;
}
