import type { Instant } from '../kernel/clock.ts';
import type { KeyName } from './api-key.ts';
import type { CheckedChange, Integration } from './integration.ts';

export interface KeyRecord extends KeyName {
  readonly hash: string;
  readonly revoked: boolean;
  readonly integration: Integration;
}

export type NewIntegration = CheckedChange & Pick<Integration, 'name' | 'feePercent' | 'feeAddress'>;

/** PORT. Partners and their keys are kept here. */
export interface PartnerRecords {
  findKey(keyId: string): Promise<KeyRecord | undefined>;
  addIntegration(integrationId: string, integration: NewIntegration, at: Instant): Promise<void>;
  /** undefined where there is no such integration. */
  changeIntegration(integrationId: string, change: CheckedChange, at: Instant): Promise<Integration | undefined>;
  /** false where there is no such integration. */
  addKey(integrationId: string, key: KeyName, hash: string, at: Instant): Promise<boolean>;
  /** This may be repeated; it gives false where there is no such key. */
  revokeKey(keyId: string, at: Instant): Promise<boolean>;
}
