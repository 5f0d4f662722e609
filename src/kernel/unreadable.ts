import { type Refusal, refuse } from './refusal.ts';

/** What a schema found wrong with a request, as Ajv tells it. */
export interface WrongShape {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
}

/** The field that is wrong, and a sentence about it for a person; no field where the whole body is. */
export function wrongField(wrong: WrongShape): { readonly field: string; readonly sentence: string } {
  const { keyword, instancePath, params } = wrong;
  const missing = keyword === 'required' ? String(params.missingProperty) : undefined;
  const strange = keyword === 'additionalProperties' ? String(params.additionalProperty) : undefined;
  const field = [instancePath.slice(1).replaceAll('/', '.'), missing ?? strange].filter(Boolean).join('.');
  if (field === '') return { field, sentence: 'The body must be a JSON object.' };
  if (missing !== undefined) return { field, sentence: `${field} is required.` };
  if (strange !== undefined) return { field, sentence: `${field} is not known here.` };
  return { field, sentence: `${field} ${complaint(wrong)}.` };
}

/** Patterns and lists are for programs; a person is told that the value does not fit. */
const FOR_PROGRAMS = new Set(['pattern', 'enum', 'const', 'anyOf']);

const complaint = ({ keyword, message = 'is not valid' }: WrongShape): string =>
  FOR_PROGRAMS.has(keyword) ? 'is not valid' : message;

/** Why a request was not read as far as to its endpoint, by the codes of Fastify. */
const UNREADABLE: Readonly<Record<string, Refusal>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: refuse('payload_too_large', 'The body is too large.'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: refuse(
    'unsupported_media_type',
    'Bodies are JSON: send Content-Type: application/json.',
  ),
  FST_ERR_CTP_INVALID_JSON_BODY: refuse('invalid_request', 'The body is not valid JSON.'),
};

export const unreadable = (code = ''): Refusal =>
  UNREADABLE[code] ?? refuse('invalid_request', 'The request could not be read.');
