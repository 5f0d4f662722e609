/** The blocks above one height, up to another. */
export interface Span {
  readonly after: number;
  readonly to: number;
}
