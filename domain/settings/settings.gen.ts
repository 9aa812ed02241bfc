/** Generated from openapi.yaml by scripts/generate-contract.mjs; not edited by hand. */

export type Settings = {
  readonly memory: {
    readonly pii_policy: 'flag' | 'mask' | 'refuse'
    readonly single_valued_predicates: ReadonlyArray<string>
    readonly archive_after_days: number
  }
  readonly recall: {
    readonly freshness_floor: number
  }
  readonly enrichment: {
    readonly enabled: boolean
  }
  readonly summary: {
    readonly enabled: boolean
  }
  readonly skills_factory: {
    readonly enabled: boolean
    readonly description_max_bytes: number
    readonly body_max_bytes: number
    readonly inbox_max_pending: number
    readonly rejection_cooloff_days: number
    readonly forge: {
      readonly cron_interval_hours: number
      readonly min_cluster_size: number
      readonly min_distinct_agents: number
      readonly freshness_window_days: number
      readonly max_writes_per_run: number
      readonly max_minutes_per_run: number
    }
    readonly sentinel: {
      readonly auto_promote_clean: boolean
    }
  }
}

export const DEFAULT_SETTINGS: Settings = {
  "memory": {
    "pii_policy": "flag",
    "single_valued_predicates": [
      "lives_in",
      "located_in",
      "address",
      "works_at",
      "works_for",
      "employer",
      "role",
      "title",
      "manager",
      "reports_to",
      "spouse",
      "married_to",
      "status",
      "state",
      "owner",
      "version",
      "port",
      "url",
      "email",
      "phone",
      "birthday",
      "age",
      "timezone",
      "language",
      "price",
      "deadline",
      "due_date",
      "current_*",
      "preferred_*"
    ],
    "archive_after_days": 90
  },
  "recall": {
    "freshness_floor": 0.94
  },
  "enrichment": {
    "enabled": true
  },
  "summary": {
    "enabled": true
  },
  "skills_factory": {
    "enabled": false,
    "description_max_bytes": 160,
    "body_max_bytes": 40000,
    "inbox_max_pending": 50,
    "rejection_cooloff_days": 30,
    "forge": {
      "cron_interval_hours": 6,
      "min_cluster_size": 3,
      "min_distinct_agents": 3,
      "freshness_window_days": 14,
      "max_writes_per_run": 20,
      "max_minutes_per_run": 10
    },
    "sentinel": {
      "auto_promote_clean": false
    }
  }
}
