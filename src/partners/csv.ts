/** RFC 4180, and nothing that a spreadsheet would take for a formula: https://owasp.org/www-community/attacks/CSV_Injection */
export function csvOf(columns: readonly string[], rows: readonly Readonly<Record<string, unknown>>[]): string {
  const lines = [columns, ...rows.map((row) => columns.map((column) => textOf(row[column])))];
  return lines.map((line) => `${line.map(quoted).join(',')}\r\n`).join('');
}

const FORMULA = /^[=+\-@\t\r]/;

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value);
}

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
