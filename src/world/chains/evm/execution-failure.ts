import type { RpcError } from '../../outbound/json-rpc.ts';

/** A token writes it, and people read it. */
const MAX_REASON_CHARS = 200;

/** Geth's code of a revert, and Nethermind's of anything that failed while it was executed. */
const CODES: ReadonlySet<number> = new Set([3, -32015]);

/**
 * How nodes say that a call was executed and broke, without the spaces and signs between the words: Geth and Erigon (`invalid opcode:
 * INVALID`), Reth and Anvil (`EVM error InvalidFEOpcode`), Nethermind (`BadInstruction`), Besu (`INVALID_OPERATION`), Parity (`VM execution
 * error.`). The graph's own indexer goes by most of them (https://github.com/graphprotocol/graph-node, chain/ethereum).
 */
const BROKEN = new RegExp(
  [
    '(?:invalid|bad)(?:fe)?(?:opcode|instruction|operation|jump)|opcodenotfound',
    'stack(?:underflow|overflow|limitreached)|outof(?:gas|stack|offset|bounds)',
    'gasuint64overflow|gasrequiredexceedsallowance|vmexecutionerror',
  ].join('|'),
);

/** Why the call itself fails, whoever executes it; undefined where the node is in trouble, which passes. */
export function executionFailure({ code, message, data }: RpcError): string | undefined {
  const words = message.toLowerCase().replace(/[^a-z0-9]/g, '');
  if (!CODES.has(code) && !/\brevert/i.test(message) && !BROKEN.test(words)) return undefined;
  return (errorString(data) ?? message).slice(0, MAX_REASON_CHARS);
}

/** The text within ABI-encoded `Error(string)`. */
function errorString(data: unknown): string | undefined {
  const encoded = typeof data === 'string' ? /^0x08c379a0.{64}(.{64})(.*)$/.exec(data) : null;
  if (!encoded) return undefined;
  const length = Number(BigInt(`0x${encoded[1]}`));
  return Buffer.from(encoded[2] ?? '', 'hex')
    .subarray(0, length)
    .toString('utf8');
}
