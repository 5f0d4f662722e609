import './script.ts';
import './copy.ts';
import './countdown.ts';
import './live.ts';
import './tell-me.ts';
