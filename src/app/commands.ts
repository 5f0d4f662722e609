import { approveCommand } from './command/approve.ts';
import { backupCommand } from './command/backup.ts';
import { caseCloseCommand } from './command/case-close.ts';
import type { Command } from './command/command.ts';
import { configCheckCommand } from './command/config-check.ts';
import { configInitCommand } from './command/config-init.ts';
import { driftAdoptCommand } from './command/drift-adopt.ts';
import { journalNewCommand } from './command/journal.ts';
import { keyNewCommand, keyRetireCommand, keyRotateCommand } from './command/key.ts';
import { limitsCommand } from './command/limits.ts';
import { migrateCommand } from './command/migrate.ts';
import { operatorNewCommand, operatorRetireCommand } from './command/operator.ts';
import { ordersCommand } from './command/orders.ts';
import { restoreCommand } from './command/restore.ts';
import { seedNewCommand, seedRestoreCommand } from './command/seed.ts';
import { startCommand } from './command/start.ts';

/** Everything that `wherry` does, in the order in which a new desk needs it. */
export const COMMANDS: readonly Command[] = [
  configInitCommand,
  operatorNewCommand,
  operatorRetireCommand,
  seedNewCommand,
  seedRestoreCommand,
  limitsCommand,
  migrateCommand,
  journalNewCommand,
  configCheckCommand,
  startCommand,
  ordersCommand,
  caseCloseCommand,
  driftAdoptCommand,
  backupCommand,
  restoreCommand,
  approveCommand,
  keyNewCommand,
  keyRotateCommand,
  keyRetireCommand,
];
