#!/usr/bin/env node
import { runCommand } from './command/run.ts';
import { COMMANDS } from './commands.ts';
import { ROLES } from './roles.ts';

async function main(): Promise<void> {
  const words = process.argv.slice(2);
  // A role alone is as good as `start` and the role: so supervisors have called it from the beginning.
  const isRole = ROLES.some((role) => role === words[0]);
  const exitCode = await runCommand(COMMANDS, isRole ? ['start', ...words] : words);
  if (exitCode !== undefined) process.exit(exitCode);
}

main().catch((error: unknown) => {
  process.stderr.write(`wherry: ${(error as Error).message}\n`);
  process.exit(1);
});
