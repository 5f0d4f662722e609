import type { VNode } from 'preact';
import { qrImage } from '../server/qr.ts';

export const Qr = ({ text, alt }: { readonly text: string; readonly alt: string }): VNode => (
  <img class="qr" src={qrImage(text)} alt={alt} width="232" height="232" />
);
