/** Part of `npm ci`: makes what the first start would make otherwise, while somebody waits for it. */
import { bundleEvmSimulator, bundleSandbox } from '../sandbox/bundle.ts';
import { buildService } from './build.ts';

await bundleSandbox();
await bundleEvmSimulator();
await buildService();
