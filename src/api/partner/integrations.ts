import { Type } from '@sinclair/typebox';
import { isoTime } from '../../kernel/clock.ts';
import { isRefusal, refuse } from '../../kernel/refusal.ts';
import { planChange } from '../../partners/address-change.ts';
import { hashOfKey, keyPrefix, newIntegrationId, newKey } from '../../partners/api-key.ts';
import { checkChange } from '../../partners/integration.ts';
import { MOST_KEYS, MOST_MEMBERS, type NewIntegration } from '../../partners/partner-records.ts';
import { memberAddress } from '../../partners/sign-in.ts';
import { openCursor, sealCursor, strangeCursor } from '../cursor.ts';
import { ORDERS_PER_PAGE } from '../limits.ts';
import { asMember, byMember, partnerEndpoint } from './partner-endpoint.ts';
import {
  Address,
  AuditPage,
  CreatedKey,
  IntegrationPatch,
  IntegrationShape,
  KeyList,
  MemberBody,
  NewIntegrationBody,
  NewKeyBody,
  Nothing,
} from './schema.ts';
import { integrationOf, integrationShape } from './shape.ts';

export const IntegrationParams = Type.Object({ id: Type.String({ maxLength: 64 }) });

export const createIntegration = partnerEndpoint({
  method: 'POST',
  path: '/partner/integrations',
  name: 'createIntegration',
  summary: 'Make an integration; the caller is its owner',
  input: { body: NewIntegrationBody },
  output: IntegrationShape,
  status: 201,
  needs: 'member',
  async run(ask, deps) {
    const { book, feeAddresses, asksApproval } = deps.partnerRoom;
    const checked = await checkChange(ask.body, feeAddresses);
    if (isRefusal(checked)) return checked;
    if ((await book.of(ask.member)).length >= MOST_INTEGRATIONS)
      return refuse('invalid_request', `One account has at most ${MOST_INTEGRATIONS} integrations.`);
    const id = newIntegrationId(deps.randomBytes);
    // The schema demands what a new integration needs, and the check keeps it.
    const wanted = { ...checked, approved: !asksApproval } as NewIntegration;
    await book.add(id, wanted, ask.member, byMember(ask, deps));
    return integrationShape(id, deps);
  },
});
/** More are made by somebody who tries how many can be made. */
const MOST_INTEGRATIONS = 50;

export const readIntegration = partnerEndpoint({
  method: 'GET',
  path: '/partner/integrations/:id',
  name: 'readIntegration',
  summary: 'Read an integration',
  input: { params: IntegrationParams },
  output: IntegrationShape,
  needs: 'member',
  async run(ask, deps) {
    const access = await asMember(ask, 'viewer', deps);
    return isRefusal(access) ? access : integrationOf(access.integration, access.members);
  },
});

export const changeIntegration = partnerEndpoint({
  method: 'PATCH',
  path: '/partner/integrations/:id',
  name: 'changeIntegration',
  summary: 'Change an integration; an address that is set changes after the delay',
  input: { params: IntegrationParams, body: IntegrationPatch },
  output: IntegrationShape,
  needs: 'member',
  async run(ask, deps) {
    const access = await asMember(ask, 'owner', deps);
    if (isRefusal(access)) return access;
    const { book, feeAddresses, addressDelayMs } = deps.partnerRoom;
    const checked = await checkChange(ask.body, feeAddresses);
    if (isRefusal(checked)) return checked;
    const by = byMember(ask, deps);
    await book.change(ask.params.id, planChange(access.integration, checked, by.at, addressDelayMs), by);
    return integrationShape(ask.params.id, deps);
  },
});

const MemberParams = Type.Object({ ...IntegrationParams.properties, address: Address });
const noAddress = () => refuse('invalid_address', 'This is not an Ethereum address.');
const lastOwner = () => refuse('last_owner', 'The last owner stays: make somebody else an owner first.');

export const setMember = partnerEndpoint({
  method: 'PUT',
  path: '/partner/integrations/:id/members/:address',
  name: 'setMember',
  summary: 'Add a member, or change its role',
  input: { params: MemberParams, body: MemberBody },
  output: IntegrationShape,
  needs: 'member',
  async run(ask, deps) {
    const access = await asMember(ask, 'owner', deps);
    if (isRefusal(access)) return access;
    const address = memberAddress(ask.params.address);
    if (!address) return noAddress();
    const { id } = ask.params;
    const result = await deps.partnerRoom.book.setMember(id, { address, role: ask.body.role }, byMember(ask, deps));
    if (result === 'last_owner') return lastOwner();
    if (result === 'full') return refuse('invalid_request', `An integration has at most ${MOST_MEMBERS} members.`);
    return integrationShape(id, deps);
  },
});

export const removeMember = partnerEndpoint({
  method: 'DELETE',
  path: '/partner/integrations/:id/members/:address',
  name: 'removeMember',
  summary: 'Remove a member; the last owner cannot leave',
  input: { params: MemberParams },
  output: Nothing,
  status: 204,
  needs: 'member',
  async run(ask, deps) {
    const access = await asMember(ask, 'owner', deps);
    if (isRefusal(access)) return access;
    const address = memberAddress(ask.params.address);
    if (!address) return noAddress();
    const result = await deps.partnerRoom.book.removeMember(ask.params.id, address, byMember(ask, deps));
    if (result === 'last_owner') return lastOwner();
    return result === 'missing' ? refuse('not_found', 'There is no such member.') : {};
  },
});

export const createKey = partnerEndpoint({
  method: 'POST',
  path: '/partner/integrations/:id/keys',
  name: 'createKey',
  summary: 'Make a key; it is shown this once',
  input: { params: IntegrationParams, body: NewKeyBody },
  output: CreatedKey,
  status: 201,
  needs: 'member',
  async run(ask, deps) {
    const access = await asMember(ask, 'owner', deps);
    if (isRefusal(access)) return access;
    const { kind, name } = ask.body;
    const key = newKey(kind, deps.randomBytes);
    const by = byMember(ask, deps);
    const named = { kind, keyId: key.keyId, name };
    const added = await deps.partnerRoom.book.addKey(ask.params.id, named, hashOfKey(deps.hashKey, key.text), by);
    if (added === 'full') return refuse('invalid_request', `An integration has at most ${MOST_KEYS} keys.`);
    return { ...named, name: name ?? null, prefix: keyPrefix(key), key: key.text, createdAt: isoTime(by.at) };
  },
});

export const listKeys = partnerEndpoint({
  method: 'GET',
  path: '/partner/integrations/:id/keys',
  name: 'listKeys',
  summary: 'List keys, revoked ones included',
  input: { params: IntegrationParams },
  output: KeyList,
  needs: 'member',
  async run(ask, deps) {
    const access = await asMember(ask, 'viewer', deps);
    if (isRefusal(access)) return access;
    const keys = await deps.partnerRoom.book.keys(ask.params.id);
    return {
      keys: keys.map(({ createdAt, lastUsedAt, revokedAt, ...key }) => ({
        ...key,
        name: key.name ?? null,
        prefix: keyPrefix(key),
        createdAt: isoTime(createdAt),
        lastUsedAt: lastUsedAt === undefined ? null : isoTime(lastUsedAt),
        revokedAt: revokedAt === undefined ? null : isoTime(revokedAt),
      })),
    };
  },
});

export const revokeKey = partnerEndpoint({
  method: 'DELETE',
  path: '/partner/integrations/:id/keys/:keyId',
  name: 'revokeKey',
  summary: 'Revoke a key; may be repeated',
  input: { params: Type.Object({ ...IntegrationParams.properties, keyId: Type.String({ pattern: '^\\w{1,64}$' }) }) },
  output: Nothing,
  status: 204,
  needs: 'member',
  async run(ask, deps) {
    const access = await asMember(ask, 'owner', deps);
    if (isRefusal(access)) return access;
    const { id, keyId } = ask.params;
    const revoked = await deps.partnerRoom.book.revokeKey(keyId, id, byMember(ask, deps));
    return revoked ? {} : refuse('not_found', 'There is no such key.');
  },
});

export const PageQuery = {
  cursor: Type.Optional(Type.String({ maxLength: 256 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: ORDERS_PER_PAGE })),
};

export const readAudit = partnerEndpoint({
  method: 'GET',
  path: '/partner/integrations/:id/audit',
  name: 'readAudit',
  summary: 'Every change, newest first',
  input: { params: IntegrationParams, query: Type.Object(PageQuery) },
  output: AuditPage,
  needs: 'member',
  async run(ask, deps) {
    const access = await asMember(ask, 'viewer', deps);
    if (isRefusal(access)) return access;
    const { cursor, limit = ORDERS_PER_PAGE } = ask.query;
    const list = `audit:${ask.params.id}`;
    const place = cursor === undefined ? undefined : openCursor(deps.hashKey, list, cursor);
    if (cursor !== undefined && place === undefined) return strangeCursor();
    const before = place === undefined ? undefined : Number.parseInt(place, 10);
    const found = await deps.partnerRoom.book.audit(ask.params.id, limit + 1, before);
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    return {
      entries: page.map(({ at, actor, action, details }) => ({ at: isoTime(at), actor, action, details })),
      nextCursor: last ? sealCursor(deps.hashKey, list, String(last.number)) : null,
    };
  },
});
