import './script.ts';
import './quote.ts';
import './own-addresses.ts';
