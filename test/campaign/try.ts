import { play } from './play.ts';
import { planOf } from './plan.ts';
const show = process.argv.includes('trace');
for (const s of process.argv.slice(2).filter((x) => /^\d+$/.test(x))) {
  const t = performance.now();
  const plan = planOf(Number(s));
  const o = await play(plan, undefined, show ? (l) => console.log(l) : undefined);
  console.log(s, o.hash, o.steps, o.seconds, (performance.now() - t).toFixed(0), plan.events.map((e) => e.what === 'order' ? `${e.trip}/${e.payee}/${e.deeds.map(d=>d.deed)}` : e.what).join(' '));
  console.log('   ', o.dealings.map((d) => [d.id ? '' : d.refused, (d as any).phase].join(' ')).join('|'), o.findings, [...new Set(o.complaints.map(c=>c.replace(/sw_\w+/,'')))].slice(0,4));
}
process.exit(0);
