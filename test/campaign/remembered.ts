import crypto from 'node:crypto';
import { ScalarMultiplier } from '@noble/curves/abstract/curve.js';
import { HDKey } from '@scure/bip32';

/**
 * A good part of a seed's time goes into curves, and the desk's own keys are the same in every seed. What depends on nothing but what it is
 * asked for is found once in a process.
 */

interface CurvePoint {
  readonly X: bigint;
  readonly Y: bigint;
  readonly Z: bigint;
  multiplyUnsafe(scalar: bigint): CurvePoint;
}

interface Products {
  readonly BASE: CurvePoint;
  mulSecret(point: CurvePoint, scalar: bigint, ...how: unknown[]): unknown;
  mulUnsafe(point: CurvePoint, scalar: bigint, ...how: unknown[]): unknown;
}

const MOST_PRODUCTS = 20_000;

function rememberProducts(name: 'mulSecret' | 'mulUnsafe', multiply: Products['mulUnsafe']): void {
  const products = ScalarMultiplier.prototype as unknown as Products;
  const known = new WeakMap<Products, Map<string, unknown>>();
  products[name] = function (this: Products, point: CurvePoint, scalar: bigint, ...how: unknown[]): unknown {
    const { X, Y, Z } = point;
    const found = known.get(this) ?? new Map<string, unknown>();
    known.set(this, found);
    const of = [X, Y, Z, scalar].map((part) => part.toString(16)).join(' ');
    if (found.size >= MOST_PRODUCTS) found.clear();
    const product = found.get(of) ?? multiply.call(this, point, scalar, ...how);
    found.set(of, product);
    return product;
  };
}

/** Nobody watches how long a product of play money takes: it needs no chance that hides how it is found, and no second one beside it. */
const inTheOpen = function (this: Products, point: CurvePoint, scalar: bigint): unknown {
  return { p: point.multiplyUnsafe(scalar), f: this.BASE };
};

/** By the one that it belongs to, and its number there. */
function rememberChildren(): void {
  const derive = HDKey.prototype.deriveChild;
  const known = new WeakMap<HDKey, Map<number, HDKey>>();
  HDKey.prototype.deriveChild = function (this: HDKey, index: number): HDKey {
    const children = known.get(this) ?? new Map<number, HDKey>();
    known.set(this, children);
    const child = children.get(index) ?? derive.call(this, index);
    children.set(index, child);
    return child;
  };
}

function remembering<Asked extends readonly unknown[], Found>(
  find: (...asked: Asked) => Found,
  nameOf: (...asked: Asked) => string | undefined,
): (...asked: Asked) => Found {
  const known = new Map<string, Found>();
  return (...asked) => {
    const name = nameOf(...asked);
    if (name === undefined) return find(...asked);
    const found = known.get(name) ?? find(...asked);
    known.set(name, found);
    return found;
  };
}

/** A key that is given as it is: one of the desk's own. */
const nameOfKey = (asked: unknown): string | undefined => {
  const { key, format } = asked as { readonly key?: unknown; readonly format?: string };
  return format === 'der' && Buffer.isBuffer(key) ? key.toString('hex') : undefined;
};

/** Once for a process. */
export function rememberAll(): void {
  const { mulUnsafe } = ScalarMultiplier.prototype as unknown as Products;
  rememberProducts('mulUnsafe', mulUnsafe);
  rememberProducts('mulSecret', inTheOpen);
  rememberChildren();
  HDKey.fromMasterSeed = remembering(HDKey.fromMasterSeed, (seed) => Buffer.from(seed).toString('hex'));
  HDKey.fromExtendedKey = remembering(HDKey.fromExtendedKey, (text) => text);
  Object.assign(crypto, {
    createPrivateKey: remembering(crypto.createPrivateKey, nameOfKey),
    createPublicKey: remembering(crypto.createPublicKey, nameOfKey),
    pbkdf2Sync: remembering(crypto.pbkdf2Sync, (...asked) => JSON.stringify(asked)),
  });
}
