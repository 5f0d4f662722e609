import type { ComponentChildren, VNode } from 'preact';

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly value?: string;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
  readonly required?: boolean;
  /** Addresses and codes are read letter by letter. */
  readonly isCode?: boolean;
  readonly isLong?: boolean;
  readonly most?: number;
  /** With the browser's own calendar, and a plain field where there is none. */
  readonly isDay?: boolean;
}

/** A labelled field. What is wrong with it stands beside it, and the field says so to those who do not see. */
export function Field({
  name,
  label,
  value = '',
  hint,
  error,
  required,
  isCode,
  isLong,
  most = 1000,
  isDay,
}: FieldProps): VNode {
  const described = [hint ? `${name}-hint` : '', error ? `${name}-error` : ''].filter(Boolean).join(' ');
  const common = {
    id: name,
    name,
    class: isCode ? 'code' : undefined,
    required,
    'aria-invalid': error ? ('true' as const) : undefined,
    'aria-describedby': described || undefined,
    autocapitalize: 'off' as const,
    spellcheck: false,
    dir: isCode ? ('ltr' as const) : undefined,
  };
  return (
    <div class={error ? 'field wrong' : 'field'}>
      <label for={name}>{label}</label>
      {isLong ? (
        <textarea {...common} rows={3} maxLength={most} value={value} />
      ) : isDay ? (
        <input {...common} type="date" value={value} />
      ) : (
        <input {...common} maxLength={most} value={value} />
      )}
      {error && (
        <p class="error" id={`${name}-error`}>
          {error}
        </p>
      )}
      {hint && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

export interface Trouble {
  readonly field: string;
  readonly text: string;
}

/** What is wrong with a form, first, with ways to each field; the page's script moves the focus here. */
export function Troubles({
  title,
  troubles,
}: {
  readonly title: string;
  readonly troubles: readonly Trouble[];
}): VNode | null {
  if (troubles.length === 0) return null;
  return (
    <div class="troubles" role="alert" tabIndex={-1} id="troubles">
      <p>{title}</p>
      <ul>
        {troubles.map(({ field, text }) => (
          <li>
            <a href={`#${field}`}>{text}</a>
          </li>
        ))}
      </ul>
    </div>
  );
}
