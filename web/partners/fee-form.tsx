import type { VNode } from 'preact';
import { WherryError } from '../../sdk/src/index.ts';
import { FEE_FIELDS, type FeeField } from '../../src/kernel/fee-field.ts';
import { Field, type Trouble } from '../parts/field.tsx';
import { type Form, looksLikeAnother } from '../server/forms.ts';
import type { View } from '../server/view.ts';
import type { Integration, IntegrationChange } from './partner-desk.ts';

export type TypedFees = Readonly<Record<FeeField | 'feePercent', string>>;

export const typedFees = (form: Form): TypedFees => ({
  feePercent: form.text('feePercent').replace(',', '.').replace(/\s*%$/, ''),
  feeAddress: form.text('feeAddress'),
  feeAddressSol: form.text('feeAddressSol'),
  feeAddressBtc: form.text('feeAddressBtc'),
});

export const feesOf = (integration: Integration): TypedFees => ({
  feePercent: `${integration.feePercent}`,
  feeAddress: integration.feeAddress,
  feeAddressSol: integration.feeAddressSol ?? '',
  feeAddressBtc: integration.feeAddressBtc ?? '',
});

const PERCENT = /^(?:[0-4](?:\.\d{1,4})?|5(?:\.0{1,4})?)$/;

/** What differs from what is set, so that a form which names an old address does not take back a change that waits. */
export function readFees(
  { words }: View,
  typed: TypedFees,
  current: Integration | undefined,
): { readonly change: IntegrationChange; readonly troubles: readonly Trouble[] } {
  const set = current && feesOf(current);
  const isGiven = (field: FeeField) => (set ? typed[field] !== set[field] : typed[field] !== '');
  const isPercent = PERCENT.test(typed.feePercent);
  const addresses = FEE_FIELDS.filter(isGiven).map((field) => [field, typed[field] || null] as const);
  return {
    change: {
      // The pattern leaves plain decimals only, which JSON spells the same way.
      ...(isPercent && typed.feePercent !== set?.feePercent
        ? { feePercent: JSON.parse(typed.feePercent) as number }
        : {}),
      ...Object.fromEntries(addresses),
    },
    troubles: [
      ...(isPercent ? [] : [{ field: 'feePercent', text: words.partnerFees.percentWrong }]),
      ...(typed.feeAddress === '' ? [{ field: 'feeAddress', text: words.partnerFees.addressMissing }] : []),
    ],
  };
}

const FAMILIES: Readonly<Record<FeeField, string>> = {
  feeAddress: 'evm',
  feeAddressSol: 'solana',
  feeAddressBtc: 'bitcoin',
};

/** Which fields the desk refused, or undefined where it refused something else. */
export function feeTroubles({ words }: View, error: unknown, typed: TypedFees): readonly Trouble[] | undefined {
  if (!(error instanceof WherryError)) return undefined;
  if (error.code === 'fee_too_high') return [{ field: 'feePercent', text: words.partnerFees.percentWrong }];
  if (error.code === 'invalid_request') return [{ field: 'main', text: words.errors.other(error.message) }];
  if (error.code !== 'invalid_address' && error.code !== 'address_refused') return undefined;
  const { errors = [] } = error.details as { readonly errors?: readonly { readonly field: string }[] };
  return errors.flatMap(({ field }) => {
    const known = FEE_FIELDS.find((one) => one === field);
    if (!known) return [];
    if (error.code === 'address_refused') return [{ field: known, text: words.errors.addressRefused }];
    const other = looksLikeAnother(typed[known], FAMILIES[known]);
    const text = other ? words.partnerFees.addressOf(other) : words.partnerFees.addressWrong;
    return [{ field: known, text }];
  });
}

export function FeeFields({
  view,
  typed,
  troubles,
}: {
  readonly view: View;
  readonly typed: TypedFees;
  readonly troubles: readonly Trouble[];
}): VNode {
  const { partnerFees } = view.words;
  const errorOf = (name: string) => troubles.find(({ field }) => field === name)?.text;
  return (
    <>
      <Field
        name="feePercent"
        label={partnerFees.percent}
        hint={partnerFees.percentHint}
        value={typed.feePercent}
        error={errorOf('feePercent')}
        required
      />
      {FEE_FIELDS.map((field) => (
        <Field
          name={field}
          label={partnerFees[field]}
          hint={field === 'feeAddress' ? partnerFees.feeAddressHint : partnerFees.optional}
          value={typed[field]}
          error={errorOf(field)}
          required={field === 'feeAddress'}
          isCode
        />
      ))}
    </>
  );
}
