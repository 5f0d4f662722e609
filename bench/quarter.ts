/** Stops and continues the processes with these numbers so that each has a quarter of the time, one after the other. Ends with whoever started it. */
const EVERY_MS = 100;
const pids = process.argv.slice(2).map(Number);
const goOn = (pid: number) => process.kill(pid, 'SIGCONT');

for (const [n, pid] of pids.entries())
  setTimeout(
    () =>
      setInterval(() => {
        goOn(pid);
        setTimeout(() => process.kill(pid, 'SIGSTOP'), EVERY_MS / 4);
      }, EVERY_MS),
    (n * EVERY_MS) / pids.length,
  );
process.on('disconnect', () => {
  for (const pid of pids) goOn(pid);
  process.exit(0);
});
process.send?.('begun');
