export {
  type CallOptions,
  type Client,
  type ClientOptions,
  type OrderProof,
  type WaitOptions,
  wherryClient,
} from './client.ts';
export { type FollowOptions, isOver } from './follow.ts';
export type {
  CreatedSwap,
  CustomerState,
  Fill,
  Operations,
  OrderRow,
  Quote,
  SwapOrder,
  Token,
} from './generated/contract.ts';
export {
  type OrderEvent,
  type OtherEvent,
  type VerifyOptions,
  verifyWebhook,
  WebhookError,
  type WebhookEvent,
} from './webhook.ts';
export { type ErrorCode, WherryError } from './wherry-error.ts';
