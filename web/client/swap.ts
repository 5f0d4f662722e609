import './script.ts';
import './quote.ts';
