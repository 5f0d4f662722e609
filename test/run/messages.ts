/** What the process that runs tests tells the one that counts and prints. */
export type Message =
  /** The file that was asked for is about to be loaded: what breaks from now on is its fault. */
  | { readonly kind: 'begun' }
  | { readonly kind: 'alive' }
  /** A test of the file is known and waits for its turn. */
  | { readonly kind: 'queued'; readonly name: string; readonly nesting: number }
  | { readonly kind: 'started'; readonly name: string; readonly nesting: number }
  /** It is over; what came of it is told when those before it are over as well. */
  | { readonly kind: 'over'; readonly name: string; readonly nesting: number; readonly error: string | undefined }
  | { readonly kind: 'passed'; readonly name: string; readonly nesting: number }
  | { readonly kind: 'failed'; readonly name: string; readonly nesting: number; readonly error: string }
  | { readonly kind: 'left_out'; readonly name: string; readonly nesting: number; readonly why: string }
  /** A suite, or a test that failed because one inside it did: counted by what is inside. */
  | { readonly kind: 'counted_inside'; readonly name: string; readonly nesting: number }
  | { readonly kind: 'file_ended'; readonly ms: number }
  /** An error after the end of the test that caused it. */
  | { readonly kind: 'stray'; readonly error: string }
  /** A story waits for something that may take so long, by the watch that follows the machine; it is over by `waited`. */
  | { readonly kind: 'waiting'; readonly id: number; readonly what: string; readonly ms: number }
  | { readonly kind: 'waited'; readonly id: number }
  /** All is said; the process exits now. */
  | { readonly kind: 'ended' };

/** What it is told: a file to run next, or that there is none. */
export type Request = { readonly run: string } | { readonly end: true };

/** The variable by which everything that a test process starts, and what that starts, can be found; it names the file. */
export const MARK = 'WHERRY_TEST';
