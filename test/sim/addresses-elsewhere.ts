/** Well-formed addresses of the main networks; each family must refuse those of the others. */
const ADDRESSES = {
  bitcoin: ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'],
  litecoin: ['ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9', 'LVg2kJoFNg45Nbpy53h7Fe1wKyeXVRhMH9'],
  evm: ['0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'],
  monero: [
    '44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A',
    '888tNkZrPN6JsEgekjMnABU4TBzc2Dt29EPAvkRxbANsAnjyPbb3iQ1YBRk1UXcdRsiKc9dhwMVgN5S9cQUiyoogDavup3H',
  ],
  solana: ['7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV'],
  tron: ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
  zcash: ['t1VmmGiyjVNeCjxDZzg7vZmd99WyzVby9yC'],
};

export const elsewhereThan = (own: keyof typeof ADDRESSES): readonly string[] =>
  Object.entries(ADDRESSES).flatMap(([family, list]) => (family === own ? [] : list));
