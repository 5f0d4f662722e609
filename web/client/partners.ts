import './script.ts';
import './copy.ts';
import './sign-in.ts';
