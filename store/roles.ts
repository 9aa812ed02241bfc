/** The roles that row level security has policies for: one tenant's rows, and everybody's. */
export const STORE_ROLES = ['cairn_app', 'cairn_system'] as const
export type StoreRole = (typeof STORE_ROLES)[number]
