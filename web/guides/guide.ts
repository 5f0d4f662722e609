/** How one task is done with the calls of the contract; a test carries out every step as it is shown. */
export interface Guide {
  readonly name: string;
  readonly title: string;
  readonly line: string;
  /** What the reader brings, by the name that the steps have for it. */
  readonly needs: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

export type Step = CallStep | CodeStep;

export interface CallStep {
  readonly text: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** `$NAME` stands for what the reader brought, or kept of an earlier answer. */
  readonly path: string;
  /** The path is a link of an earlier answer. */
  readonly isLink?: true;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** What is kept of the answer, by the name it gets. */
  readonly keep?: Readonly<Record<string, string>>;
}

/** A program of a few lines, over the client. */
export interface CodeStep {
  readonly text: string;
  readonly code: string;
}

export const isCall = (step: Step): step is CallStep => 'method' in step;

/** What is set before the first step. */
export const settingsOf = ({ needs }: Guide, origin: string): string =>
  [`DESK=${origin}`, ...Object.entries(needs).map(([name, what]) => `${name}='' # ${what}`)].join('\n');

/** The call as it is pasted into a shell. Links of a desk that names where it is found from outside are whole. */
export function curlOf(step: CallStep, publicUrl: string | undefined): string {
  const { method, path, isLink = false, headers = {}, body, keep = {} } = step;
  const address = isLink && publicUrl !== undefined ? path : `$DESK${path}`;
  const parts = [
    `curl -s ${method === (body ? 'POST' : 'GET') ? '' : `-X ${method} `}"${address}"`,
    ...Object.entries(headers).map(([name, value]) => `-H "${name}: ${value}"`),
    ...(body ? [`-H "content-type: application/json"`, `-d '${jsonOf(body)}'`] : []),
  ];
  const kept = Object.entries(keep).map(([name, field]) => `# ${name} is ${field} of the answer.`);
  return [parts.join(' \\\n  '), ...kept].join('\n');
}

/** Names leave the quotes of the shell, so that it puts in what they stand for. */
const jsonOf = (body: object): string => JSON.stringify(body, null, 1).replaceAll(/"(\$[A-Z]+)"/g, `"'"$1"'"`);
