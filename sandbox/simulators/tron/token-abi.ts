/** The interface of Tether's contract as nodes print it, in the words that wallets read. */

const READS: Readonly<Record<string, string>> = {
  'name()': 'string',
  'symbol()': 'string',
  'decimals()': 'uint8',
  'totalSupply()': 'uint256',
  'balanceOf(address who)': 'uint256',
  'allowance(address _owner,address _spender)': 'uint256',
  'isBlackListed(address _maker)': 'bool',
};

const WRITES: Readonly<Record<string, string | undefined>> = {
  'transfer(address _to,uint256 _value)': 'bool',
  'transferFrom(address _from,address _to,uint256 _value)': 'bool',
  'approve(address _spender,uint256 _value)': 'bool',
  'addBlackList(address _evilUser)': undefined,
  'removeBlackList(address _clearedUser)': undefined,
  'pause()': undefined,
  'unpause()': undefined,
  'setParams(uint256 newBasisPoints,uint256 newMaxFee)': undefined,
  'issue(uint256 amount)': undefined,
};

const TRANSFER = [
  { indexed: true, name: 'from', type: 'address' },
  { indexed: true, name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
];

function entry(signature: string, output: string | undefined, more: object): object {
  const [name = '', inside = ''] = signature.slice(0, -1).split('(');
  const inputs = inside.split(',').flatMap((part) => {
    const [type, label] = part.split(' ');
    return type && label ? [{ name: label, type }] : [];
  });
  return {
    ...{ name, type: 'Function', ...more },
    ...(inputs.length > 0 ? { inputs } : {}),
    ...(output ? { outputs: [{ type: output }] } : {}),
  };
}

export const TETHER_ABI: readonly object[] = [
  ...Object.entries(READS).map(([name, output]) => entry(name, output, { constant: true, stateMutability: 'View' })),
  ...Object.entries(WRITES).map(([name, output]) => entry(name, output, { stateMutability: 'Nonpayable' })),
  { name: 'Transfer', type: 'Event', inputs: TRANSFER },
];
