/** Roles that row level security has policies for: one tenant's rows, and all tenants' rows. */
export const STORE_ROLES = ['cairn_app', 'cairn_system'] as const
export type StoreRole = (typeof STORE_ROLES)[number]
