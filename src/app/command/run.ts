import { type Command, EXIT, type Given, given, helpOf, Misuse, usageOf } from './command.ts';

/** Runs the command that these words name. The answer is the exit code; undefined while it goes on running. */
export async function runCommand(commands: readonly Command[], words: readonly string[]): Promise<number | undefined> {
  if (words.length === 0 || ['--help', '-h', 'help'].includes(words[0] ?? '')) {
    say(overview(commands));
    return words.length === 0 ? EXIT.misused : EXIT.done;
  }
  const command = named(commands, words);
  if (!command) {
    complain(`${unknown(commands, words)}\nwherry --help lists what there is.`);
    return EXIT.misused;
  }
  const args = words.slice(command.name.split(' ').length);
  if (args.includes('--help') || args.includes('-h')) {
    say(helpOf(command));
    return EXIT.done;
  }
  const isJson = args.includes('--json');
  let asked: Given;
  try {
    asked = given(command, args);
  } catch (error) {
    if (!(error instanceof Misuse)) throw error;
    return misused(command, error, isJson);
  }
  try {
    const told = await command.run(asked);
    if (!told) return undefined;
    say(isJson ? JSON.stringify(told.json) : told.lines.join('\n'));
    return told.exitCode ?? EXIT.done;
  } catch (error) {
    if (error instanceof Misuse) return misused(command, error, isJson);
    const { message } = error as Error;
    if (isJson) say(JSON.stringify({ error: message }));
    else complain(`wherry ${command.name}: ${message}`);
    return EXIT.failed;
  }
}

function misused(command: Command, { message }: Misuse, isJson: boolean): number {
  if (isJson) say(JSON.stringify({ error: message }));
  else complain(`wherry ${command.name}: ${message}\nusage: ${usageOf(command)}`);
  return EXIT.misused;
}

/** The longest name that the words begin with. */
function named(commands: readonly Command[], words: readonly string[]): Command | undefined {
  const [first = '', second = ''] = words;
  return commands.find(({ name }) => name === `${first} ${second}`) ?? commands.find(({ name }) => name === first);
}

function unknown(commands: readonly Command[], words: readonly string[]): string {
  const [first = '', second] = words;
  const alike = commands.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name);
  if (alike.length === 0) return `wherry: there is no command "${first}".`;
  const what = second === undefined ? `"${first}" is not a whole command` : `there is no command "${first} ${second}"`;
  return `wherry: ${what}; there is ${alike.join(', ')}.`;
}

function overview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    'usage: wherry <command> [options]',
    '',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    'wherry <command> --help says more. Secrets are read from files and the environment, never from arguments.',
    `It ends with ${EXIT.done} when done, ${EXIT.failed} when it failed, ${EXIT.misused} when it was called wrongly and ${EXIT.problems} when a check found problems.`,
  ].join('\n');
}

const say = (text: string): boolean => process.stdout.write(`${text}\n`);
const complain = (text: string): boolean => process.stderr.write(`${text}\n`);
