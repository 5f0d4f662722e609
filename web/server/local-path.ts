/** A path below our host, with a query as `URLSearchParams` writes it; no other site is ever sent to. */
const LOCAL = /^\/(?![/\\])[\w./~-]*(?:\?[\w.*+%&=-]*)?$/;

export const isLocalPath = (text: string): boolean => LOCAL.test(text);
