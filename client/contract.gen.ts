/** Generated from openapi.yaml by scripts/generate-contract.mjs; not edited by hand. */

export interface components {
    schemas: {
        TenantId: string;
        /** @description An id that callers choose, of an agent, a fleet, a run or a document: 1–200 letters, digits and marks of any script, and `. _ - : @ | # + = ~ /`. It begins with a letter or digit, does not end with `/`, and has no segment `.` or `..`. Ids are kept in Unicode's form NFC, and another form of an id names the same thing. In a path, a query and `X-Agent-ID` an id is percent-encoded. */
        Id: string;
        /** @description An id that callers choose, of an agent, a fleet, a run or a document: 1–200 letters, digits and marks of any script, and `. _ - : @ | # + = ~ /`. It begins with a letter or digit, does not end with `/`, and has no segment `.` or `..`. Ids are kept in Unicode's form NFC, and another form of an id names the same thing. In a path, a query and `X-Agent-ID` an id is percent-encoded. */
        NullableId: string | null;
        /** @description An existing agent or fleet. Old ids may begin with `_`. */
        Name: string;
        /** @description A run's `Id`, or an older id. */
        RunId: string;
        /**
         * Format: language
         * @description A language by its code of ISO 639-1, or of ISO 639-3 where it has none. Of a tag of BCP 47 (`de-AT`) only the language counts.
         */
        Language: string;
        EntityType: string;
        /** @description Names that begin with `_` are reserved for the service: 422. `skills` is the catalogue of skills. */
        Collection: string;
        /** @description A document's `Id`, or an id that an earlier version took. It does not begin or end with `/`, and has no segment `.` or `..`. */
        DocId: string;
        /** @description At most 256 KiB as JSON, nested up to 100 levels. Top-level keys have at most 200 characters; up to 256 of them may hold a string, number, boolean or null. Queries find and order documents by those, and find them by the members of lists too. Numbers that JSON writes with an exponent (1e300) may expand to 262,144 digits together, also in `metadata` and `scope` of a memory. The order of keys is not kept. */
        DocumentData: Record<string, unknown>;
        Scalar: string | number | boolean | null;
        /** @description A value matches an equal value, and a list that contains it. A list matches when it shares a member. */
        FilterValue: string | number | boolean | null | components["schemas"]["Scalar"][];
        /** @description Narrows what the caller sees, and never opens more: another fleet that `fleet_id` names needs trust 2, and is read where the request names it beside the filter too. It has one name: `and` or `or` with a list of filters, `not` with one, or a field. A field has a value to be equal to, or an object: `in` with a list of values, `exists` with true or false, or bounds, `gt` or `gte` and `lt` or `lte`. Fields are `metadata.<key>` for a top-level key, `tags` (those that enrichment gave), `memory_type`, `status`, `agent_id`, `fleet_id`, `run_id`, `entity_id`; `created_at`, `ts_valid_start` and `ts_valid_end`, which take bounds and `exists`; and `valid_at`, a time at which a memory must be valid. A value matches an equal value, and a list that contains it; bounds match a list that has a member within them. A bound is a number, or a time as RFC 3339 or as `2026-01-31`, and compares values of its kind only. `exists` is true of any value but null. A comparison with a value that is missing is false, so `not` of it is true. At most 20 conditions, 100 values, 4 levels of `and`, `or` and `not`, and 16 KiB as JSON. Anything else is 422. */
        MemoryFilter: Record<string, unknown>;
        /** @description Narrows by more than `where` can. It has one name: `and` or `or` with a list of filters, `not` with one, or a field. A field has a value to be equal to, or an object: `in` with a list of values, `exists` with true or false, or bounds, `gt` or `gte` and `lt` or `lte`. Fields are `data.<key>` for a top-level key, `doc_id` and `fleet_id`; `created_at` and `updated_at`, which take bounds and `exists`. Values, lists, bounds, `exists`, `not` and the limits are those of a filter on memories. Anything else is 422. */
        DocumentFilter: Record<string, unknown>;
        /** @enum {string} */
        Visibility: "scope_agent" | "scope_team" | "scope_org";
        /** @enum {string} */
        MemoryType: "fact" | "episode" | "decision" | "preference" | "task" | "semantic" | "intention" | "plan" | "commitment" | "action" | "cancellation" | "outcome" | "rule" | "insight";
        /**
         * @description `semantic` is stored as `fact`.
         * @enum {string}
         */
        CallerMemoryType: "fact" | "episode" | "decision" | "preference" | "task" | "semantic" | "intention" | "plan" | "commitment" | "action" | "cancellation";
        /** @enum {string} */
        MemoryStatus: "active" | "pending" | "confirmed" | "cancelled" | "outdated" | "conflicted" | "archived" | "deleted";
        /** @enum {integer} */
        Trust: 0 | 1 | 2 | 3;
        /** @description UTC, milliseconds, `Z`. */
        Timestamp: string;
        JsonObject: Record<string, unknown>;
        NullableJsonObject: Record<string, unknown> | null;
        NullableTimestamp: string | null;
        Error: {
            error: {
                code: string;
                message: string;
                details?: Record<string, unknown>;
            };
            /**
             * @deprecated
             * @description Mirrors `error.message`.
             */
            detail: string;
        };
        FieldError: {
            loc: string[];
            msg: string;
            type: string;
            input?: unknown;
            ctx?: Record<string, unknown>;
        };
        ValidationError: {
            error: {
                /** @constant */
                code: "INVALID_ARGUMENTS";
                message: string;
                details: {
                    errors: components["schemas"]["FieldError"][];
                };
            };
            detail: components["schemas"]["FieldError"][];
        };
        Root: {
            /** @constant */
            name: "cairn";
            version: string;
            /** @description Paths on this address. */
            links: {
                /** @description This document, which describes every operation. */
                contract: string;
                /** @description Pages for people: this document as a reference, and the guides. */
                docs: string;
                health: string;
                ready: string;
                stats: string;
            };
            /** @description Where to read more. */
            documentation: string;
        };
        Health: {
            /** @enum {string} */
            status: "ok" | "degraded";
            version: string;
            uptime_s: number;
            dependencies: {
                postgres: components["schemas"]["DependencyState"];
                search: components["schemas"]["DependencyState"];
                queue: components["schemas"]["DependencyState"];
                embedder: components["schemas"]["DependencyState"];
                /** @description Absent when none is set. */
                language_model?: components["schemas"]["DependencyState"];
                /** @description Absent when none is set. */
                reranker?: components["schemas"]["DependencyState"];
            };
            embedder: components["schemas"]["EmbeddingModel"];
            /** @description What is wrong, for an operator; empty when the status is ok. */
            problems: components["schemas"]["HealthProblem"][];
        };
        /** @description The model whose vectors find texts by their meaning. */
        EmbeddingModel: {
            id: string;
            /** @description About how many languages it knows; null for a model that is not built in. */
            languages: number | null;
            /** @description Their codes; null for a model that is not built in. docs/languages.md says how well it knows them. */
            language_codes: string[] | null;
        };
        /**
         * @description A dependency that is impaired still answers reads, but takes no writes.
         * @enum {string}
         */
        DependencyState: "ok" | "impaired" | "unavailable";
        HealthProblem: {
            /** @enum {string} */
            dependency: "postgres" | "search" | "queue" | "embedder" | "language_model" | "reranker";
            /** @enum {string} */
            reason: "unreachable" | "circuit_open" | "damaged" | "incomplete" | "disk_full" | "memory_full" | "read_only" | "wrong_role" | "busy";
            /** @description What is wrong and what ends it. */
            message: string;
        };
        Ready: {
            /** @constant */
            status: "ready";
        };
        PublicStats: {
            tenant_count: number;
            agent_count: number;
            memory_count: number;
            document_count: number;
            keystone_count: number;
            active_skill_count: number;
            recall_count: number;
        } & {
            [key: string]: number;
        };
        Whoami: {
            tenant_id: string;
            /** @enum {string} */
            key_kind: "tenant" | "agent" | "admin";
            agent_id: string | null;
            fleet_id: string | null;
            trust_level: components["schemas"]["Trust"];
            embedder: components["schemas"]["EmbeddingModel"];
        };
        /** @description Names an entity of the tenant by exactly one of `entity_id` and `name`. A new `name` creates the entity. */
        EntityLinkWrite: {
            /** Format: uuid */
            entity_id?: string;
            /** @description 1–200 characters after trimming. */
            name?: string;
            entity_type?: components["schemas"]["EntityType"];
            role?: string;
        } & (unknown | unknown);
        /** @description The fields of a write that single writes and bulk items share. */
        MemoryFields: {
            /** @description Stored as written, white space included. 1–10,000 characters after trimming, and 20,000 with the white space at its ends. */
            content: string;
            memory_type?: components["schemas"]["CallerMemoryType"];
            /** @description Up to 200 characters. */
            title?: string | null;
            /**
             * @description How much it counts in recall, from 0 to 1.
             * @default 0.5
             */
            weight?: number;
            /** @description Where it comes from. */
            source_uri?: string | null;
            /** @description The run (piece of work) that it belongs to. */
            run_id?: string | null;
            /**
             * Format: language
             * @description The language of `content`; found in it where none is given.
             */
            language?: string | null;
            metadata?: components["schemas"]["CallersMetadata"];
            /** @description The entities that it is about. */
            entity_links?: components["schemas"]["EntityLinkWrite"][];
            /**
             * Format: date-time
             * @description When it expires, in the future.
             */
            expires_at?: string | null;
            /**
             * Format: date-time
             * @description Since when it holds.
             */
            ts_valid_start?: string | null;
            /**
             * Format: date-time
             * @description Until when it holds; after `ts_valid_start`.
             */
            ts_valid_end?: string | null;
            /**
             * Format: uuid
             * @description The entity that the memory states something about, as a triple. A link with the role `subject` may name it instead, beside `predicate` and `object_value`.
             */
            subject_entity_id?: string | null;
            /** @description What it states of the subject. */
            predicate?: string | null;
            /** @description The value that it states. */
            object_value?: string | null;
            /**
             * @default active
             * @enum {string}
             */
            status?: "active" | "pending" | "confirmed";
            visibility?: components["schemas"]["Visibility"];
            /** @description How sure its author is, from 0 to 1. */
            confidence?: number | null;
            scope?: components["schemas"]["CallersScope"];
            /**
             * Format: uuid
             * @description The memory that this one supersedes; it becomes outdated.
             */
            supersedes_id?: string | null;
        };
        /** @description Absent fields stay; null clears; objects and lists are replaced whole. */
        MemoryPatch: {
            tenant_id?: components["schemas"]["TenantId"];
            /** @description Stored as written, white space included. 1–10,000 characters after trimming, and 20,000 with the white space at its ends. */
            content?: string;
            memory_type?: components["schemas"]["CallerMemoryType"];
            title?: string | null;
            weight?: number;
            source_uri?: string | null;
            run_id?: components["schemas"]["NullableId"];
            /**
             * Format: language
             * @description Null has it found in `content` again, as another `content` does.
             */
            language?: string | null;
            metadata?: components["schemas"]["CallersMetadata"];
            entity_links?: components["schemas"]["EntityLinkWrite"][];
            /**
             * Format: date-time
             * @description When it expires, in the future.
             */
            expires_at?: string | null;
            /** Format: date-time */
            ts_valid_start?: string | null;
            /**
             * Format: date-time
             * @description Until when it holds; after `ts_valid_start`.
             */
            ts_valid_end?: string | null;
            /** Format: uuid */
            subject_entity_id?: string | null;
            predicate?: string | null;
            object_value?: string | null;
            status?: components["schemas"]["CallerStatus"];
            visibility?: components["schemas"]["Visibility"];
            confidence?: number | null;
            scope?: components["schemas"]["CallersScope"];
        };
        /**
         * @description Statuses that a caller may set; only the service sets outdated, conflicted and deleted.
         * @enum {string}
         */
        CallerStatus: "active" | "pending" | "confirmed" | "cancelled" | "archived";
        Feedback: {
            tenant_id?: components["schemas"]["TenantId"];
            /**
             * @description `success` raises `weight` by 0.10, `failure` lowers it by 0.15, `partial` raises it by 0.03, within 0.05 to 1.
             * @enum {string}
             */
            outcome: "success" | "failure" | "partial";
            run_id?: components["schemas"]["Id"];
        };
        Lineage: {
            /** Format: uuid */
            memory_id: string;
            /** @description Oldest first. */
            items: components["schemas"]["Memory"][];
        };
        StatusMoves: {
            tenant_id: components["schemas"]["TenantId"];
            ids: string[];
            status: components["schemas"]["CallerStatus"];
        };
        StatusMovesAnswer: {
            moved: number;
            /** @description Memories that had the status already. */
            unchanged: number;
            errors: number;
            results: {
                /** Format: uuid */
                id: string;
                /** @enum {string} */
                status: "moved" | "unchanged" | "error";
                error?: components["schemas"]["ItemError"];
            }[];
        };
        ItemError: {
            code: string;
            message: string;
            details?: Record<string, unknown>;
        };
        ArchiveRule: {
            tenant_id: components["schemas"]["TenantId"];
            /**
             * Format: date-time
             * @description Memories that were written before, and neither changed nor recalled since.
             */
            unused_since: string;
            /** @description Only memories of this weight or less. */
            max_weight?: number;
            /** @description Only memories that were recalled so often or less. */
            max_recalls?: number;
            filter?: components["schemas"]["MemoryFilter"];
            /**
             * @description Only counts and shows what the rule would archive.
             * @default true
             */
            dry_run?: boolean;
            /**
             * @description Memories to archive by this request.
             * @default 500
             */
            limit?: number;
        };
        ArchiveAnswer: {
            dry_run: boolean;
            /** @description Visible memories that met the rule before this request. */
            matched: number;
            /** @description The same by type, the most frequent first. */
            by_type: {
                memory_type: components["schemas"]["MemoryType"];
                count: number;
            }[];
            archived: number;
            /** @description Memories that the next request would archive. */
            remaining: number;
            /** @description The first of those that met the rule, as they were before. */
            oldest: components["schemas"]["Memory"][];
        };
        Redistribution: {
            tenant_id: components["schemas"]["TenantId"];
            from_agent_id: components["schemas"]["Name"];
            to_agent_id: components["schemas"]["Name"];
            /**
             * @description Memories to hand over by this request.
             * @default 500
             */
            limit?: number;
        };
        RedistributionAnswer: {
            moved: number;
            /** @description Memories that stay, because the other agent has the same text already. */
            duplicates: number;
            /** @description `scope_agent` memories, which stay, because only their author ever sees them. */
            private: number;
            /** @description Memories that the next request could hand over. */
            remaining: number;
        };
        KeystoneId: string;
        /** @enum {string} */
        KeystoneScope: "tenant" | "fleet" | "agent";
        /** @enum {string} */
        KeystoneWeight: "low" | "med" | "high";
        KeystoneWrite: {
            tenant_id: components["schemas"]["TenantId"];
            doc_id: components["schemas"]["KeystoneId"];
            /** @description 1–200 characters after trimming. */
            title: string;
            /** @description Stored as written, white space included. 1–20,000 characters after trimming, and 40,000 with the white space at its ends. */
            content: string;
            scope: components["schemas"]["KeystoneScope"];
            weight: components["schemas"]["KeystoneWeight"];
            /** @description Only with the scope `fleet`. */
            fleet_id?: string | null;
            /** @description The agent that the rule is for; only with the scope `agent`. */
            agent_id?: string | null;
        };
        KeystoneText: {
            tenant_id: string;
            doc_id: string;
            title: string;
            content: string;
            scope: components["schemas"]["KeystoneScope"];
            weight: components["schemas"]["KeystoneWeight"];
            fleet_id: string | null;
            agent_id: string | null;
            /** @description The agent that wrote this version. */
            author_agent_id: string | null;
            version: number;
            /** @description SHA-256 of the content as UTF-8. */
            content_hash: string;
            system_metadata: components["schemas"]["KeystoneMetadata"];
        };
        Keystone: components["schemas"]["KeystoneText"] & {
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        KeystoneList: components["schemas"]["Keystone"][] | components["schemas"]["KeystoneEnvelope"];
        KeystoneEnvelope: {
            count: number;
            items: components["schemas"]["Keystone"][];
        };
        DeletedKeystone: {
            /** @constant */
            deleted: true;
            doc_id: string;
        };
        /** @description What the service derived. */
        KeystoneMetadata: {
            /** @description Personal data and secrets that title and content held when they were written, as for memories. */
            pii?: {
                kinds: components["schemas"]["PersonalDataKinds"];
                count: number;
                fields: {
                    title?: components["schemas"]["PersonalDataFinding"];
                    content?: components["schemas"]["PersonalDataFinding"];
                };
            };
        };
        KeystoneVersion: components["schemas"]["KeystoneText"] & {
            /**
             * @description A deletion has the text that it deleted.
             * @enum {string}
             */
            change: "created" | "updated" | "deleted";
            /** @enum {string} */
            author_kind: "agent" | "tenant" | "admin" | "service";
            at: components["schemas"]["Timestamp"];
        };
        KeystoneVersionPage: {
            items: components["schemas"]["KeystoneVersion"][];
            next_cursor: string | null;
        };
        KeystoneReceipt: {
            tenant_id: components["schemas"]["TenantId"];
            run_id: components["schemas"]["Id"];
            /** @description The `ETag` of the list, with or without its quotes. */
            etag: string;
        };
        KeystoneAcknowledgement: {
            agent_id: string;
            fleet_id: string | null;
            run_id: string;
            /** @description The tag as in the header. */
            etag: string;
            acknowledged_at: components["schemas"]["Timestamp"];
            /** @description Whether the agent would get exactly this list now. */
            current: boolean;
        };
        KeystoneCoverage: {
            /** @description The tag of the list that this caller gets now, with the same `fleet_id` and `agent_id`. */
            etag: string;
            /** @description How many agents are listed. */
            count: number;
            agents: components["schemas"]["CoveredAgent"][];
        };
        /** @description `run_id`, `etag` and `acknowledged_at` are null for an agent that has acknowledged nothing. */
        CoveredAgent: {
            agent_id: string;
            fleet_id: string | null;
            run_id: string | null;
            etag: string | null;
            acknowledged_at: components["schemas"]["NullableTimestamp"];
            /** @description Whether this agent would get exactly this list now. */
            current: boolean;
        };
        AuditEvent: {
            id: string;
            tenant_id: string;
            at: components["schemas"]["Timestamp"];
            actor: components["schemas"]["Actor"];
            action: components["schemas"]["AuditAction"];
            subject: {
                /** @enum {string} */
                kind: "memory" | "agent" | "document" | "settings" | "keystone" | "key" | "tenant" | "erasure" | "skill" | "entity";
                id: string;
            };
            /** @description Ids, names of fields, statuses, numbers, and the values of settings and limits; never a memory's text or a key's secret. */
            details: Record<string, unknown>;
        };
        Actor: {
            /** @enum {string} */
            kind: "agent" | "tenant" | "admin" | "service";
            agent_id: string | null;
            key_id: string | null;
        };
        /** @enum {string} */
        AuditAction: "memory.created" | "memory.updated" | "memory.enriched" | "memory.status_changed" | "memory.deleted" | "memory.purged" | "memory.erased" | "memory.feedback" | "memory.redistributed" | "agent.registered" | "document.created" | "document.updated" | "document.deleted" | "agent.updated" | "agent.deleted" | "key.created" | "key.revoked" | "tenant.updated" | "settings.updated" | "erasure.begun" | "erasure.finished" | "keystone.created" | "keystone.updated" | "keystone.deleted" | "skill.written" | "skill.status_changed" | "skill.deferred" | "skill.overruled" | "entity.merged" | "entity.split" | "skill.outcome" | "skill.deleted";
        AuditPage: {
            items: components["schemas"]["AuditEvent"][];
            next_cursor: string | null;
        };
        Document: {
            /** Format: uuid */
            id: string;
            tenant_id: string;
            fleet_id: string | null;
            collection: string;
            doc_id: string;
            data: components["schemas"]["JsonObject"];
            version: number;
            /** @description The language of the strings in this version of `data`, by its code; null where it is uncertain. */
            language: string | null;
            system_metadata: components["schemas"]["DocumentMetadata"];
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        DocumentMetadata: {
            /** @description Personal data and secrets in `doc_id` and in the strings, numbers and keys of `data`, by kind and number. If the tenant's policy is `mask`, `[email]` and the like replace those in strings and numbers. */
            pii?: {
                kinds: components["schemas"]["PersonalDataKinds"];
                count: number;
                fields: {
                    doc_id?: components["schemas"]["PersonalDataFinding"];
                    data?: components["schemas"]["PersonalDataFinding"];
                };
            };
        };
        /** @description The fields of a write that single writes and bulk items share. */
        DocumentFields: {
            /** @description A fleet other than the caller's needs trust 2. The default is the fleet of the request, else that of the document, else (for a new one) that of the caller. */
            fleet_id?: string | null;
            doc_id?: components["schemas"]["Id"];
            data: components["schemas"]["DocumentData"];
        };
        DocumentWrite: components["schemas"]["DocumentFields"] & {
            tenant_id: components["schemas"]["TenantId"];
            /** @description The acting agent, for a tenant key. */
            agent_id?: string | null;
            collection: components["schemas"]["Collection"];
            /** @description Of a skill alone: what stands beside SKILL.md in its folder, 10 MiB in all. */
            files?: components["schemas"]["SkillFileWrite"][];
        };
        DocumentBulkItem: WithRequired<components["schemas"]["DocumentFields"], "doc_id">;
        DocumentBulkWrite: {
            tenant_id: components["schemas"]["TenantId"];
            agent_id?: components["schemas"]["NullableId"];
            fleet_id?: components["schemas"]["NullableId"];
            collection: components["schemas"]["Collection"];
            /** @description Each item is a `DocumentBulkItem`, and is checked on its own. */
            items: Record<string, unknown>[];
        };
        DocumentBulkAnswer: {
            created: number;
            updated: number;
            /** @description Items that were stored already. */
            unchanged: number;
            errors: number;
            results: {
                index: number;
                /** @enum {string} */
                status: "created" | "updated" | "unchanged" | "error";
                doc_id?: string;
                /** Format: uuid */
                id?: string;
                version?: number;
                error?: components["schemas"]["ItemError"];
            }[];
        };
        DocumentQuery: {
            tenant_id: components["schemas"]["TenantId"];
            collection: components["schemas"]["Collection"];
            /** @description Only documents of this fleet and of no fleet. It is a filter and needs no more trust. */
            fleet_id?: components["schemas"]["Name"];
            /** @description Top-level keys of `data` with the values that they must have, combined with AND. A value matches an equal value, and a list that contains it; a list matches when it shares a member. A value of another type is not equal, and a missing key is not null. What cannot match is 422: an object, an empty list, a list within a list, and what is longer than `data` or its keys can be. */
            where?: {
                [key: string]: components["schemas"]["FilterValue"];
            };
            filter?: components["schemas"]["DocumentFilter"];
            language?: components["schemas"]["Language"];
            /**
             * @description Sorts by `created_at`, `updated_at`, `doc_id`, or a top-level key. The order is null, false, true, numbers, then strings by their first 128 code points. Documents that lack the key, or have a list or an object there, come last, by their creation.
             * @default created_at
             */
            order_by?: string;
            /**
             * @default desc
             * @enum {string}
             */
            order?: "asc" | "desc";
            cursor?: string;
            /** @default 50 */
            limit?: number;
        };
        DocumentSearch: {
            tenant_id: components["schemas"]["TenantId"];
            /** @description 1–5,000 characters after trimming, not only punctuation. If it has more than 64 distinct words without stop words, the search looks for the 64 longest. The meaning is that of the whole text. */
            query: string;
            collection?: components["schemas"]["Collection"];
            /** @description Only documents of this fleet and of no fleet. It is a filter and needs no more trust. */
            fleet_id?: components["schemas"]["Name"];
            /** @description Top-level keys with the values that they must have, as in a query. */
            where?: {
                [key: string]: components["schemas"]["FilterValue"];
            };
            filter?: components["schemas"]["DocumentFilter"];
            /** @description Only documents in one of these languages. */
            languages?: components["schemas"]["Language"][];
            /** @default 10 */
            top_k?: number;
        };
        DocumentSearchAnswer: {
            query: string;
            results: {
                collection: string;
                doc_id: string;
                data: Record<string, unknown>;
                score: number;
                similarity: number;
                score_parts: {
                    vec_sim: number;
                    fts_score: number;
                };
                updated_at: components["schemas"]["Timestamp"];
            }[];
            /** @description The number of documents in `results`. */
            count: number;
            /** @description True when the last of the `top_k` best were left out because of their size; `collection`, `fleet_id` and `where` narrow a search. */
            truncated: boolean;
            search_ms: number;
            /** @description What was missing. `search`: the documents that were changed last were searched instead. Else `vector`, `keyword` or `pending`. `pending` means documents that wait to be indexed, or large ones whose text waits to be analysed; the same search gets further the next time. */
            degraded: string | null;
            not_compared: components["schemas"]["NotCompared"];
        };
        DocumentPage: {
            items: components["schemas"]["Document"][];
            next_cursor: string | null;
        };
        Collections: {
            collections: {
                name: string;
                /** @description Documents in the collection. */
                count: number;
                /** @description When one of its documents was last written or deleted. */
                updated_at: components["schemas"]["Timestamp"];
            }[];
            /** @description Number of collections. */
            count: number;
        };
        /** @description An object of the caller's own; at most 16 KiB as JSON. */
        CallersMetadata: Record<string, unknown>;
        /** @description What it applies to, as an object of the caller's own; at most 16 KiB as JSON. */
        CallersScope: Record<string, unknown> | null;
        MemoryWrite: components["schemas"]["MemoryFields"] & {
            tenant_id: components["schemas"]["TenantId"];
            agent_id?: components["schemas"]["NullableId"];
            fleet_id?: components["schemas"]["NullableId"];
        };
        BulkWrite: {
            tenant_id: components["schemas"]["TenantId"];
            agent_id?: components["schemas"]["NullableId"];
            fleet_id?: components["schemas"]["NullableId"];
            /** @description Each item is checked against `BulkItem` on its own; one that fails becomes an `error` result. If an item names an agent or a fleet, the request is refused. */
            items: Record<string, unknown>[];
        };
        BulkItem: components["schemas"]["MemoryFields"];
        BulkAnswer: {
            created: number;
            duplicates: number;
            errors: number;
            results: components["schemas"]["BulkResult"][];
            usage: components["schemas"]["Usage"];
        };
        BulkResult: {
            index: number;
            /** @enum {string} */
            status: "created" | "duplicate" | "error";
            /**
             * Format: uuid
             * @description Id of the new row, or of the existing one for a duplicate.
             */
            id?: string;
            error?: components["schemas"]["ItemError"];
        };
        EntityLink: {
            /** Format: uuid */
            entity_id: string;
            name: string;
            entity_type: string | null;
            role: string | null;
            /**
             * @description `caller`: given with the memory. `found`: the service found the name in the text when it indexed it (names, identifiers, quoted terms, dates; at most 20 per memory). `inferred`: a language model named it, and the text contains it. Neither changes `version`.
             * @enum {string}
             */
            origin: "caller" | "found" | "inferred";
        };
        Usage: {
            memories_stored: number;
            memories_limit: number | null;
            writes_remaining: number | null;
        };
        /** @description The parts of the score; `score` is the product of all but vec_sim and fts_score. */
        ScoreParts: {
            vec_sim: number;
            fts_score: number;
            freshness: number;
            entity_boost: number;
            recall_boost: number;
            temporal_boost: number;
            status_penalty: number;
            base: number;
            context_boost: number;
            /** @description Score of the second stage; absent when it did not read the memory. */
            rerank_boost?: number;
            /** @description What gives the memory the place of a better ranked one about the same thing; absent where it has its own. */
            chain_boost?: number;
        };
        /** @description A supersession in which the memory is the older or the newer one. The answer of a write has what the memory superseded. */
        SupersededMemory: {
            /** Format: uuid */
            old_memory_id: string;
            /** Format: uuid */
            new_memory_id: string;
            /**
             * @description The status that the older one got.
             * @enum {string}
             */
            old_status: "outdated" | "conflicted";
            /** @enum {string} */
            reason: "explicit" | "rdf_conflict" | "semantic_conflict";
            /** @description At most 200 characters. Null in a replayed answer when the memory is gone or no longer visible. */
            old_content_preview: string | null;
            /**
             * @description `flipped`: the memory that was written last is the older of the two.
             * @enum {string}
             */
            direction: "canonical" | "flipped";
        };
        MemoryRecordFields: {
            /** Format: uuid */
            id: string;
            tenant_id: string;
            fleet_id: string | null;
            agent_id: string | null;
            agent_display_name: string | null;
            memory_type: components["schemas"]["MemoryType"];
            title: string | null;
            content: string;
            weight: number;
            source_uri: string | null;
            run_id: string | null;
            /** @description Code of the language of `content`, as given or found. Null where it is uncertain. */
            language: string | null;
            metadata: components["schemas"]["JsonObject"];
            system_metadata: components["schemas"]["SystemMetadata"];
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
            expires_at: components["schemas"]["NullableTimestamp"];
            entity_links: components["schemas"]["EntityLink"][];
            /** @description Only in the answer of a recall. It is the greater of two figures: the cosine of query and memory, and the share of the query's words, weighted by rarity, that the memory has. It is 0 to 1 and comparable between queries. Results are ordered by `score`. */
            similarity: number | null;
            /** @description Only in the answer of a recall. It orders the results. It is a product of `score_parts` without an upper limit, and not comparable between queries. */
            score: number | null;
            score_parts: components["schemas"]["ScoreParts"] | null;
            subject_entity_id: string | null;
            predicate: string | null;
            object_value: string | null;
            ts_valid_start: components["schemas"]["NullableTimestamp"];
            ts_valid_end: components["schemas"]["NullableTimestamp"];
            status: components["schemas"]["MemoryStatus"];
            visibility: components["schemas"]["Visibility"];
            recall_count: number;
            last_recalled_at: components["schemas"]["NullableTimestamp"];
            supersedes_id: string | null;
            /** @description Explicit and newest supersessions; at most 50. */
            superseded_by: components["schemas"]["SupersededMemory"][];
            confidence: number | null;
            is_inferred: boolean;
            scope: components["schemas"]["NullableJsonObject"];
            version: number;
            /** @description Only in the answer of a write. */
            usage: components["schemas"]["Usage"] | null;
        };
        /** @description What the service derived. Changes of it do not change the record's `version`. */
        SystemMetadata: {
            /**
             * Format: uuid
             * @description The older memory that says the same in nearly the same words. It has the same visibility and, where that asks for one, the same fleet or author. It is found when the memory is indexed. Texts that differ only in case, indentation and punctuation (`-d` and `-D` too) are near duplicates. Texts that differ in a number, a negation, an operator, a name, a day or the order of their words never are. It is shown while the caller may see that memory and neither text has changed since.
             */
            near_duplicate_of?: string;
            /**
             * @description The memory repeats what a recall had told its author: within the day before the write, one of the author's last 50 recalls returned `near_duplicate_of` or another near duplicate of that. Absent otherwise, and of an author without an agent.
             * @constant
             */
            is_echo?: true;
            /** @description The category that a language model assigned to the memory. */
            tags?: string[];
            enrichment?: components["schemas"]["EnrichmentRecord"];
            /** @description Fields that came from a memory that has been erased since, and that stay. */
            derived_from_erased?: {
                /** Format: uuid */
                erasure_id: string;
                fields: "status"[];
            };
            /** @description Personal data and secrets that a write contained, by kind and number, in all and by field, including the keys of `metadata` and `scope`. The data itself is never shown. If the tenant's policy is `mask`, `[email]` and the like replace them, and links to entities with such a name are left out. */
            pii?: {
                kinds: components["schemas"]["PersonalDataKinds"];
                count: number;
                fields: {
                    content?: components["schemas"]["PersonalDataFinding"];
                    title?: components["schemas"]["PersonalDataFinding"];
                    predicate?: components["schemas"]["PersonalDataFinding"];
                    object_value?: components["schemas"]["PersonalDataFinding"];
                    source_uri?: components["schemas"]["PersonalDataFinding"];
                    metadata?: components["schemas"]["PersonalDataFinding"];
                    scope?: components["schemas"]["PersonalDataFinding"];
                    run_id?: components["schemas"]["PersonalDataFinding"];
                    entity_links?: components["schemas"]["PersonalDataFinding"];
                };
            };
        };
        /** @description What a language model derived from the text, if one is configured. It is absent before the model has read the text, and once the text has changed. The model fills in only fields that callers left empty; `inferred` names them. When the text or the caller's title changes, such a value is removed. A caller's value replaces it. None of it changes `version`. */
        EnrichmentRecord: {
            /**
             * @description `done`; `abstained`: nothing in its answer passed the checks; `failed`: it gave no usable answer.
             * @enum {string}
             */
            state: "done" | "abstained" | "failed";
            model: string;
            /** @description Version of the prompt. */
            prompt: number;
            /** @description Fingerprint of the content that was read, with the caller's title. */
            text: string;
            at: components["schemas"]["Timestamp"];
            inferred: ("title" | "memory_type" | "ts_valid_start" | "ts_valid_end" | "subject_entity_id" | "predicate" | "object_value")[];
            /** @description The inferred title, which the record's `title` shows. */
            title?: string;
        };
        PersonalDataKinds: ("private_key" | "access_token" | "api_key" | "password" | "iban" | "credit_card" | "national_id" | "email" | "phone")[];
        PersonalDataFinding: {
            kinds: components["schemas"]["PersonalDataKinds"];
            count: number;
        };
        Memory: components["schemas"]["MemoryRecordFields"];
        MemoryPage: {
            items: components["schemas"]["Memory"][];
            next_cursor: string | null;
        };
        MemoryVersion: components["schemas"]["MemoryRecordFields"] & {
            known_from: components["schemas"]["Timestamp"];
            /**
             * Format: date-time
             * @description Null for the present version.
             */
            known_until: string | null;
        };
        MemoryVersionPage: {
            /** Format: uuid */
            memory_id: string;
            items: components["schemas"]["MemoryVersion"][];
            next_cursor: string | null;
        };
        VersionRestore: {
            tenant_id: components["schemas"]["TenantId"];
        };
        MemoryStats: {
            total: number;
            by_type: {
                [key: string]: number;
            };
            /** @description The key for no agent is `(none)`. */
            by_agent: {
                [key: string]: number;
            };
            by_status: {
                [key: string]: number;
            };
        };
        MemoryEventCounts: {
            created: number;
            superseded: number;
            deleted: number;
            recalled: number;
        };
        MemoryTimeline: {
            interval: components["schemas"]["IntervalLength"];
            timezone: string;
            from: components["schemas"]["Timestamp"];
            to: components["schemas"]["Timestamp"];
            totals: components["schemas"]["MemoryEventCounts"];
            items: (components["schemas"]["MemoryEventCounts"] & {
                start: components["schemas"]["Timestamp"];
                /** @description Only with `by`: the values of which anything happened. */
                groups?: (components["schemas"]["MemoryEventCounts"] & {
                    key: string;
                })[];
            })[];
        };
        RecallFigures: {
            count: number;
            /** @description Milliseconds that the recalls took. Null if there were none. */
            recall_ms: null | {
                p50: number;
                p95: number;
            };
            /** @description Recalls that returned no memory. */
            empty: number;
            /** @description Recalls for which something was missing. */
            degraded: number;
            /** @description The same by what was missing. A recall may lack several. */
            degraded_by: {
                vector: number;
                keyword: number;
                entity: number;
                rerank: number;
                pending: number;
                search: number;
            };
            /** @description Recalls by the level of their confidence. Those that an earlier version answered are in none. */
            confidence: {
                high: number;
                low: number;
                none: number;
            };
        };
        RecallStats: {
            interval: components["schemas"]["IntervalLength"];
            timezone: string;
            from: components["schemas"]["Timestamp"];
            to: components["schemas"]["Timestamp"];
            total: components["schemas"]["RecallFigures"];
            items: (components["schemas"]["RecallFigures"] & {
                start: components["schemas"]["Timestamp"];
            })[];
            /** @description The 200 with most recalls. */
            agents: (components["schemas"]["RecallFigures"] & {
                /** @description Null for keys that act for no agent. */
                agent_id: string | null;
            })[];
        };
        /** @enum {string} */
        IntervalLength: "hour" | "day" | "week";
        RecallRequest: {
            tenant_id: components["schemas"]["TenantId"];
            /** @description 1–5,000 characters after trimming, not only punctuation. If it has more than 64 distinct words without stop words, the search looks for the 64 longest. The meaning is that of the whole text. */
            query: string;
            /** @default 10 */
            top_k?: number;
            fleet_ids?: components["schemas"]["Name"][];
            filter_agent_id?: components["schemas"]["Name"];
            memory_types?: components["schemas"]["MemoryType"][];
            statuses?: ("active" | "pending" | "confirmed" | "cancelled" | "outdated" | "conflicted" | "archived")[];
            run_id?: components["schemas"]["RunId"];
            /** @description Only memories in one of these languages. */
            languages?: components["schemas"]["Language"][];
            /**
             * Format: date-time
             * @description Only memories written after this time.
             */
            created_after?: string;
            /**
             * Format: date-time
             * @description Only memories written before this time.
             */
            created_before?: string;
            /** Format: date-time */
            valid_at?: string;
            /**
             * Format: date-time
             * @description Recalls what was stored at this moment, with the content and status that it had then, as far as the caller may see it now and could see it then. What has been deleted or has expired since is left out. What has changed since is found by its former text, up to 500 memories of the caller's and 5,000 of the tenant's; beyond that `degraded` says `pending`. Changes are kept for `retention_days`, the newest 200 of a memory. Words about time count from this moment unless `now` is given. A moment in the future is 422.
             */
            known_at?: string;
            /** @description Top-level keys of `metadata` with the values that they must have, combined with AND. A value matches an equal value, and a list that contains it; a list matches when it shares a member. A value of another type is not equal, and a missing key is not null. What cannot match is 422: an object, an empty list, a list within a list, and what is longer than `metadata` can be. */
            metadata_filter?: {
                [key: string]: components["schemas"]["FilterValue"];
            };
            filter?: components["schemas"]["MemoryFilter"];
            /** @description Least `similarity` of a result; `score`, which orders results, is not compared. What superseded such a result comes with it. */
            min_score?: number;
            /**
             * @description Needs a language model, and the setting `summary.enabled`; without them `summary` is null.
             * @default false
             */
            include_summary?: boolean;
            /** @default false */
            explain?: boolean;
            /**
             * @description Composes the results to answers: one for each chain of memories that superseded one another, which shows what holds now, or what held before if the query asks for that. Statements that differ in a value alone, and in their scores by little, come newest first. With `false` each result stands alone.
             * @default true
             */
            compose?: boolean;
            /**
             * @description The least `confidence.level` with which memories are returned. Below it `memories` is empty, and `confidence` says why; not while `degraded` says that something was not searched.
             * @enum {string}
             */
            answer_if?: "low" | "high";
            /** @description Most tokens of the texts that are returned, as o200k_base counts them, within 10 %. What answers best is kept: the first, then those of the most worth per token. A text that does not fit is cut at the end of a sentence, and `content_length` says how long it is. */
            max_tokens?: number;
            /** @description Most characters of these texts, as `max_tokens`. */
            max_characters?: number;
            /**
             * Format: date-time
             * @description What "today" counts from, in the zone of its offset; by default the present, UTC.
             */
            now?: string | null;
            /**
             * Format: time-zone
             * @description Zone of "today" and other words about time, such as Asia/Tokyo.
             */
            timezone?: string | null;
        };
        RecallAnswer: {
            /** Format: uuid */
            recall_id: string;
            query: string;
            memories: components["schemas"]["RecalledMemory"][];
            memory_count: number;
            /** @description Number of further answers, of `top_k`, for which `max_tokens` and `max_characters` had no room. */
            left_out: number;
            confidence: components["schemas"]["Confidence"];
            summary: components["schemas"]["RecallSummary"] | null;
            /** @description Milliseconds, without those of the summary. */
            recall_ms: number;
            degraded: string | null;
            not_compared: components["schemas"]["NotCompared"];
        };
        /** @description How likely it is that the memories know the answer. It is estimated from the words that question and results share, not from what they say: a text about the same thing may leave the question open. */
        Confidence: {
            /**
             * @description `high` from 0.5 on, if results have more than half of the content words of the query. `none` only where they have none of them, and no time or author that it names.
             * @enum {string}
             */
            level: "high" | "low" | "none";
            /** @description A probability. Its errors on public sets are in the documentation. */
            value: number;
            /** @description Content words of the query that no result has, in small letters; of ten results at least, however few are returned. */
            missing: string[];
            /** @description What the value is made of; with `explain`. */
            parts?: {
                /** @description How well the words of the first result, and those like them, are those of the query: 0 to 1. */
                soft_coverage: number;
                /** @description Words of the query that the first result has, three at most. */
                words_found: number;
                /** @description Share of the content words of the query that no result has: 0 to 1. */
                missing_share: number;
                /** @description Score of the first result divided by the mean of the first ten: 1 to 2; of fewer results, 1.5 at least. */
                lead: number;
                /** @description 1 if the query names an author, and the first result is of another. */
                other_author: number;
            };
        };
        /** @description What could compare the query with nothing, though nothing failed: usually empty. `vector`: the embedding model knows no word of the query, or none of the texts searched. `keyword`: the query has no word to look for. */
        NotCompared: ("vector" | "keyword")[];
        /** @description A recall without any text. */
        RecallRecord: {
            /** Format: uuid */
            recall_id: string;
            tenant_id: string;
            at: components["schemas"]["Timestamp"];
            actor: components["schemas"]["Actor"];
            fleet_id: string | null;
            /** @description The filters of the recall. */
            request: Record<string, unknown>;
            /** @description The results, best first, as far as the reader may see them now. */
            memories: {
                /** Format: uuid */
                memory_id: string;
                similarity: number;
                score: number;
                score_parts: components["schemas"]["ScoreParts"];
                legs: components["schemas"]["Leg"][];
            }[];
            /** @description Number of results. */
            memory_count: number;
            degraded: string | null;
            recall_ms: number;
            /**
             * @description Its level. Null of a recall that an earlier version answered.
             * @enum {string|null}
             */
            confidence: "high" | "low" | "none" | null;
        };
        RecallRecordPage: {
            items: components["schemas"]["RecallRecord"][];
            next_cursor: string | null;
        };
        /** @enum {string} */
        Leg: "vector" | "keyword" | "entity" | "hop" | "pending" | "context" | "recent" | "successor";
        /** @description A summary of what the memories of this answer say about the query. A language model writes it from these memories alone. It is null when nobody asked for it, when there is no language model, when the model fails or is late, and when no memory of this answer supports it. */
        RecallSummary: {
            text: string;
            /** @description Ids of the memories of this answer that the text is based on. */
            citations: string[];
        };
        /** @description The leg and the evidence that found the memory. */
        Explanation: {
            /** @description The reason in words. */
            summary: string;
            legs: components["schemas"]["Leg"][];
            /** @description The parts of the score, by what each adds before the factors; largest first. */
            evidence: {
                /** @enum {string} */
                kind: "soft_coverage" | "informativeness" | "run" | "date" | "time" | "meaning" | "author" | "coverage" | "keyword" | "entity" | "hop";
                /** @description Roughly 0 to 1. */
                strength: number;
                adds: number;
            }[];
            /** @description For each word of the query, the best matching word of a memory. */
            words: {
                word: string;
                matched: string;
                similarity: number;
                /**
                 * Format: uuid
                 * @description The memory itself, or one next to it in its run.
                 */
                memory_id: string;
            }[];
            matched_terms: string[];
            matched_entities: string[];
            neighbours: string[];
            /** @description The relevance that the second stage gives the memory, and the memory's position before and after. Absent when the second stage did not read the memory. */
            second_stage?: {
                relevance: number;
                from: number;
                to: number;
            };
            /** @description The memories that are folded under this one as earlier or later ones, the newest first, with why they are. */
            chain: {
                /** Format: uuid */
                memory_id: string;
                why: components["schemas"]["ChainReason"];
            }[];
        };
        /** @description A memory record; with `explain`, also why it was returned. */
        RecalledMemory: components["schemas"]["MemoryRecordFields"] & {
            /** @description Other memories that were found and say the same in the same words. Only white space, a full stop at the end, "The" at the beginning, a note in front ("FYI: …") and a sign for "is" may tell them apart. With `compose: false` only equal texts are folded. Absent if there are none. */
            copies?: {
                count: number;
                memory_ids: string[];
                /** @description The distinct authors of those in `memory_ids`, without those that only stored what a recall had told them. */
                agent_ids: string[];
                /** @description How many of those in `memory_ids` are such echoes (`system_metadata.is_echo`). Absent if none is. */
                echo_count?: number;
            };
            /** @description Characters of the whole text, where `content` is its beginning. Absent where it is whole. */
            content_length?: number;
            /** @description What it superseded, the newest first. Absent if there is nothing. */
            earlier?: components["schemas"]["ChainMember"][];
            /** @description What superseded it, the oldest first, where the query asks for what held before ("originally", "used to"), or the newer one is not in force yet. Absent if there is nothing. */
            later?: components["schemas"]["ChainMember"][];
            explanation?: components["schemas"]["Explanation"];
        };
        ChainMember: {
            /** Format: uuid */
            id: string;
            /** @description Its first 200 characters. */
            content: string;
            created_at: components["schemas"]["Timestamp"];
            why: components["schemas"]["ChainReason"];
        };
        /**
         * @description `superseded`: a caller said so; `contradicted`: a later claim of the same subject and predicate, or a language model, did.
         * @enum {string}
         */
        ChainReason: "superseded" | "contradicted";
        Entity: {
            /**
             * Format: uuid
             * @description A random id; it does not reveal when the entity was first named.
             */
            id: string;
            tenant_id: string;
            /** @description The spelling of the earliest visible memory linked to it, without format characters. */
            name: string;
            entity_type: string | null;
            /** @description Visible memories linked to it, or to another name of the same thing. */
            memory_count: number;
            /**
             * Format: uuid
             * @description The entity that it is merged into, if the caller sees that one.
             */
            merged_into: string | null;
            /** @description Other names of the same thing that the caller sees. */
            aliases: {
                /** Format: uuid */
                entity_id: string;
                name: string;
            }[];
            /** @description When the earliest visible memory linked to it was written. */
            created_at: components["schemas"]["Timestamp"];
        };
        AliasProposals: {
            items: {
                /** Format: uuid */
                entity_id: string;
                name: string;
                evidence: {
                    /** @enum {string} */
                    reason: "phrase" | "brackets" | "short form";
                    /**
                     * Format: uuid
                     * @description The memory that says so; null where the names alone do.
                     */
                    memory_id: string | null;
                }[];
                /** @description Other entities that the evidence speaks for. */
                ambiguous_with: string[];
            }[];
        };
        EntityMerge: {
            tenant_id: components["schemas"]["TenantId"];
            /**
             * Format: uuid
             * @description The id of the entity that stays the main name.
             */
            into: string;
        };
        EntitySplit: {
            tenant_id: components["schemas"]["TenantId"];
        };
        EntityPage: {
            items: components["schemas"]["Entity"][];
            next_cursor: string | null;
        };
        Agent: {
            tenant_id: string;
            agent_id: string;
            display_name: string | null;
            fleet_id: string | null;
            trust_level: components["schemas"]["Trust"];
            /** @description How many memories the agent has written, in any fleet, without deleted ones. Null for another agent below trust 2. */
            memory_count: number | null;
            /**
             * Format: date-time
             * @description When it wrote the newest of these. Null for another agent below trust 2.
             */
            last_write_at: string | null;
            /** @description Its recalls of the last 30 days. Null for another agent below trust 3. */
            recall_count: number | null;
            /**
             * Format: date-time
             * @description The last of these. Null for another agent below trust 3.
             */
            last_recall_at: string | null;
            created_at: components["schemas"]["Timestamp"];
            last_seen_at: components["schemas"]["NullableTimestamp"];
        };
        Fleet: {
            tenant_id: string;
            fleet_id: string;
            /** @description Agents that belong to the fleet. */
            agent_count: number;
            /** @description Memories written in the fleet by any agent and not deleted. */
            memory_count: number;
        };
        FleetPage: {
            items: components["schemas"]["Fleet"][];
            next_cursor: string | null;
        };
        AgentPage: {
            items: components["schemas"]["Agent"][];
            next_cursor: string | null;
        };
        AgentPut: {
            tenant_id?: components["schemas"]["TenantId"];
            display_name?: string | null;
            fleet_id?: components["schemas"]["NullableId"];
            /**
             * @default 1
             * @enum {integer}
             */
            trust_level?: 0 | 1 | 2 | 3;
        };
        AgentPatch: {
            tenant_id?: components["schemas"]["TenantId"];
            display_name?: string | null;
            fleet_id?: components["schemas"]["NullableId"];
            trust_level?: components["schemas"]["Trust"];
        };
        /** @description Settings of a tenant. Each default is defined here and nowhere else. */
        Settings: {
            memory: {
                /**
                 * @description What happens to personal data and secrets in a write: `flag` reports them in `system_metadata.pii`, `mask` also replaces them with `[email]` and the like, `refuse` answers 422. Texts are checked as a person reads them, with any spaces, dashes, digits and invisible characters. Numbers count as texts. Names (keys within `metadata`, `scope` and a document's `data`, its `doc_id`, a `run_id`) are checked as written and percent-decoded, for e-mail addresses, secrets and IBANs. They cannot be masked, because another name would be another thing. So `mask` answers 422 too if they contain any.
                 * @default flag
                 * @enum {string}
                 */
                pii_policy: "flag" | "mask" | "refuse";
                /**
                 * @description Predicates for which a subject has one value at a time. A memory that states another value contradicts the first. Predicates are compared in snake_case; a `*` at the end matches anything.
                 * @default [
                 *       "lives_in",
                 *       "located_in",
                 *       "address",
                 *       "works_at",
                 *       "works_for",
                 *       "employer",
                 *       "role",
                 *       "title",
                 *       "manager",
                 *       "reports_to",
                 *       "spouse",
                 *       "married_to",
                 *       "status",
                 *       "state",
                 *       "owner",
                 *       "version",
                 *       "port",
                 *       "url",
                 *       "email",
                 *       "phone",
                 *       "birthday",
                 *       "age",
                 *       "timezone",
                 *       "language",
                 *       "price",
                 *       "deadline",
                 *       "due_date",
                 *       "current_*",
                 *       "preferred_*"
                 *     ]
                 */
                single_valued_predicates: string[];
                /**
                 * @description A memory with a weight below 0.3 is archived after this many days in which nobody recalled or changed it; 0 for never.
                 * @default 90
                 */
                archive_after_days: number;
            };
            recall: {
                /**
                 * @description `freshness`, a factor of each score, approaches this value as a memory ages. It begins at 1 and halves its distance to the floor with each half-life of the type. With a floor of 1, age has no effect.
                 * @default 0.94
                 */
                freshness_floor: number;
            };
            enrichment: {
                /**
                 * @description Whether a language model reads the tenant's memories after they are written, and the flagged words of its skills, if the service has one. Memories written while this is off are not read later unless an operator enqueues them.
                 * @default true
                 */
                enabled: boolean;
            };
            summary: {
                /**
                 * @description Whether a language model summarises recalls for `include_summary`; otherwise `summary` is null.
                 * @default true
                 */
                enabled: boolean;
            };
            /** @description Settings of skills, their inbox and the Forge. */
            skills_factory: {
                /**
                 * @description The master switch. While it is off, no gating and no Forge applies, and a skill is active as soon as its scan is clean; the inbox has only what the scan flagged or refused.
                 * @default false
                 */
                enabled: boolean;
                /**
                 * @description Largest description of a skill, in UTF-8.
                 * @default 160
                 */
                description_max_bytes: number;
                /**
                 * @description Largest content of a skill, in UTF-8; it can be lowered, never raised.
                 * @default 40000
                 */
                body_max_bytes: number;
                /**
                 * @description Staged skills that the inbox lists at most.
                 * @default 50
                 */
                inbox_max_pending: number;
                /**
                 * @description Days for which a rejected skill is not proposed again.
                 * @default 30
                 */
                rejection_cooloff_days: number;
                forge: {
                    /**
                     * @description Hours between two scheduled runs of the Forge.
                     * @default 6
                     */
                    cron_interval_hours: number;
                    /**
                     * @description Threshold of the volume gate.
                     * @default 3
                     */
                    min_cluster_size: number;
                    /**
                     * @description Threshold of the diversity gate, for agents and for their credentials.
                     * @default 3
                     */
                    min_distinct_agents: number;
                    /**
                     * @description The Forge reads memories of this many days. It is the threshold of the freshness gate too.
                     * @default 14
                     */
                    freshness_window_days: number;
                    /**
                     * @description Candidates that one run writes at most.
                     * @default 20
                     */
                    max_writes_per_run: number;
                    /**
                     * @description Minutes of work of one run, without its waits for other tenants. Fleets that the run does not get to come first next time. The service may allow less.
                     * @default 10
                     */
                    max_minutes_per_run: number;
                };
                sentinel: {
                    /**
                     * @description Candidates that are clean and pass every gate skip the inbox.
                     * @default false
                     */
                    auto_promote_clean: boolean;
                };
            };
        };
        /** @description SHA-256 over description and content. */
        ContentHash: string;
        /** @description The text of SKILL.md before `content`, as it was imported, with its two lines of `---` and the line break after them; empty for a SKILL.md without one. Null means that the service writes it. */
        FrontMatter: string | null;
        /** @description What stands beside SKILL.md in the folder, by path. */
        SkillFiles: components["schemas"]["SkillFile"][];
        /** @description A file with either `content` or `content_base64`. */
        SkillFileWrite: {
            /** @description Within the folder, with `/`: no `..`, no `.git`, no SKILL.md. Two may not differ by case alone. */
            path: string;
            /** @description Text. */
            content?: string;
            /** @description Bytes. */
            content_base64?: string;
            /** @default false */
            executable?: boolean;
        };
        SkillFile: {
            /** @description Within the folder. */
            path: string;
            /** @description Bytes. */
            size: number;
            /** @description SHA-256 of the bytes. */
            hash: string;
            executable: boolean;
        };
        /**
         * @description `candidate`: made by the Forge, not scanned yet or held by a gate. `staged`: waits for a review. `active`: served to agents. `rejected`: refused
         *     by a reviewer. `quarantined`: refused by the scan, or set aside by a reviewer. `stale`: a skill of
         *     the Forge without fresh evidence. `deprecated`: replaced or retired.
         * @enum {string}
         */
        SkillStatus: "candidate" | "staged" | "active" | "rejected" | "quarantined" | "stale" | "deprecated";
        /** @enum {string} */
        SkillSource: "agent" | "manual" | "forge" | "imported";
        /** @description The verdict of the scan. Counts are null until there is one. `flagged`: a person has to look at it, and an approval clears the flag. `quarantined`: a critical finding. `failed`: no scan came to an end, and `restore` scans again. */
        SkillScan: {
            /** @enum {string} */
            state: "pending" | "clean" | "flagged" | "quarantined" | "failed";
            scanned_at: components["schemas"]["NullableTimestamp"];
            /** @description One is enough to quarantine the skill. */
            critical: number | null;
            warn: number | null;
            info: number | null;
            findings: components["schemas"]["SkillFinding"][];
            /** @description Why the last attempt gave no verdict; null when it did. */
            failure: components["schemas"]["SkillScanFailure"] | null;
        };
        SkillScanFailure: {
            /** @enum {string} */
            code: "too_long" | "out_of_memory" | "crashed" | "interrupted";
            /** @description What went wrong, and what follows. */
            message: string;
        };
        /** @description Who let the version through in spite of critical findings. It holds for this content and for this version of the rules. */
        SkillOverruled: {
            by: {
                /** @enum {string} */
                kind: "agent" | "tenant" | "admin" | "service";
                agent_id: string | null;
            };
            at: components["schemas"]["Timestamp"];
            reason: string;
            content_hash: components["schemas"]["ContentHash"];
            /** @description Version of the rules that found it. */
            rules: string;
        };
        /** @description Null when nobody overruled a finding. */
        NullableSkillOverruled: components["schemas"]["SkillOverruled"] | null;
        SkillVerdict: {
            doc_id: string;
            /** @description The slug without a prefix. */
            slug: string;
            version: number;
            status: components["schemas"]["SkillStatus"];
            /** @description Why it has this status. */
            reason: string | null;
            content_hash: components["schemas"]["ContentHash"];
            scan: components["schemas"]["SkillScan"];
            overruled: components["schemas"]["NullableSkillOverruled"];
        };
        SkillFinding: {
            code: string;
            /** @enum {string} */
            severity: "critical" | "warn" | "info";
            /** @description Says what following or rendering the text would do; never repeats a secret. */
            message: string;
            /** @description Says what the author can do about it. */
            advice: string;
            /** @description Where, such as `content` or `tags[2]`. */
            field: string;
            /** @description Line of the `SKILL.md` as `cairn skills sync` writes it, front matter included. In a field that the file does not have it is the line of the field. Null for a finding about the whole field. */
            line: number | null;
            /** @description Column in this line. */
            column: number | null;
            /** @description The words that triggered it; empty for a secret, and for a finding about the whole field. */
            quote: string;
            opinion?: components["schemas"]["SkillOpinion"];
        };
        /** @description What a language model thinks of the words that flag a skill, for the person who decides. It changes nothing: a flagged skill stays flagged. Absent without a model, until it has answered, and when its answer was of no use. */
        SkillOpinion: {
            /** @enum {string} */
            verdict: "harmful" | "harmless" | "unsure";
            reason: string;
            /** @description Id of the model. */
            model: string;
        };
        SkillGate: {
            /** @description volume, diversity, freshness, poison, scan or hash_binding. */
            name: string;
            passed: boolean;
            reason: string;
        };
        /** @description What the skill was made from; figures are null where there is nothing to count, as for what an agent writes. */
        SkillOrigin: {
            agent_id: string | null;
            run_id: string | null;
            /** @description Runs that succeeded in this way. */
            cluster_size: number | null;
            distinct_agents: number | null;
            /** @description Credentials that wrote what these agents noted. The smaller of `distinct_agents` and this decides. */
            distinct_credentials?: number | null;
            /** @description Time of the oldest evidence. */
            window_start: components["schemas"]["NullableTimestamp"];
            /** @description Time of the newest evidence. */
            window_end: components["schemas"]["NullableTimestamp"];
        };
        /** @description The version that a revision is about. */
        SkillTarget: {
            doc_id: string;
            target_content_hash: components["schemas"]["ContentHash"];
            previous_version: number;
        };
        SkillMove: {
            version: number;
            /** @description Null for a version that was written. */
            from: components["schemas"]["SkillStatus"] | null;
            to: components["schemas"]["SkillStatus"];
            reason: string | null;
            actor: {
                /** @enum {string} */
                kind: "agent" | "tenant" | "admin" | "service";
                agent_id: string | null;
            };
            at: components["schemas"]["Timestamp"];
        };
        /** @description A version of a skill. */
        SkillCard: {
            /** @description The slug behind the prefix of its origin: `agent/`, `forge/` or none. */
            doc_id: string;
            /** @description The slug without a prefix. */
            slug: string;
            version: number;
            fleet_id: string | null;
            name: string;
            description: string;
            /** @description A sentence that says when to use the skill. A search finds the skill by it. */
            summary: string | null;
            /** @description Markdown. Absent unless it is asked for. */
            content?: string;
            domain: string;
            goal: string | null;
            /**
             * @description `update` revises the version that `target` names.
             * @enum {string}
             */
            kind: "create" | "update";
            source: components["schemas"]["SkillSource"];
            status: components["schemas"]["SkillStatus"];
            /** @description Why it has this status, or is in the inbox again. */
            reason: string | null;
            tags: string[];
            scan: components["schemas"]["SkillScan"];
            overruled: components["schemas"]["NullableSkillOverruled"];
            /** @description Results of the gates; empty before the scan, and for what the Forge has not made. */
            gates: components["schemas"]["SkillGate"][];
            origin: components["schemas"]["SkillOrigin"] | null;
            /** @description What the Forge saw: figures of runs and agents, and the steps in the words of the memories. */
            evidence: components["schemas"]["NullableJsonObject"];
            /** @description Ids of the memories that its steps are taken from. */
            cites: string[];
            content_hash: components["schemas"]["ContentHash"];
            front_matter: components["schemas"]["FrontMatter"];
            files: components["schemas"]["SkillFiles"];
            /** @description Identifies the work, in any wording. */
            fingerprint: string;
            target: components["schemas"]["SkillTarget"] | null;
            author_agent_id: string | null;
            /** @description Since when it is at the end of the inbox. */
            deferred_at: components["schemas"]["NullableTimestamp"];
            /** @description When this version was written. */
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        /** @description Why a skill stands where it does in the inbox. */
        SkillPriority: {
            /** @description Hours of waiting that all reasons together are worth. What nobody deferred is listed by them. */
            hours: number;
            /** @description What weighs most first, as it counted when the skill got its place. */
            reasons: components["schemas"]["SkillPriorityReason"][];
        };
        SkillPriorityReason: {
            /**
             * @description `waiting`: how long it waits. `deferred`: a reviewer moved it to the end. `served`: the same words are served and have lost evidence. `evidence`: runs that succeeded
             *     in this way. `author`: what was decided about its author's skills. `flags`: what the scan found. `share`: its author has several others that wait.
             * @enum {string}
             */
            code: "waiting" | "deferred" | "served" | "evidence" | "author" | "flags" | "share";
            /** @description A sentence. */
            message: string;
            /** @description Hours of waiting that it is worth; negative where it moves the skill down. */
            hours: number;
        };
        /** @description What was decided so far about the skills of the same author in this tenant: of the agent, of keys that name none, or of the Forge. Each version counts once, by the last decision. What became active without a review does not count. */
        SkillAuthorRecord: {
            approved: number;
            rejected: number;
            /** @description By the scan or by a reviewer. */
            quarantined: number;
        };
        InboxPlace: {
            priority: components["schemas"]["SkillPriority"];
            author_record: components["schemas"]["SkillAuthorRecord"];
        };
        InboxCard: components["schemas"]["SkillCard"] & components["schemas"]["InboxPlace"];
        InboxPage: {
            items: components["schemas"]["InboxCard"][];
            /** @description Items of this page. */
            count: number;
            /** @description All skills of this status and fleet, also beyond `inbox_max_pending`. */
            total: number;
            next_cursor: string | null;
        };
        InboxSkill: WithRequired<components["schemas"]["SkillCard"], "content"> & components["schemas"]["InboxPlace"] & {
            /** @description The version that is served meanwhile; null when there is none. */
            active: {
                version: number;
                content_hash: components["schemas"]["ContentHash"];
            } | null;
            /** @description Unified lines from the active version to this one, over the texts and files of both; empty when they are equal, null when no version is active. */
            diff: string | null;
            /** @description The `doc_id` of each other skill that serves exactly this content, up to 100. A review of this skill takes none of them out of service; to do that, retire them. */
            also_active: string[];
            /** @description Moves of all versions, the newest first; the last 200. */
            history: components["schemas"]["SkillMove"][];
        };
        SkillVersionItem: components["schemas"]["SkillCard"] & {
            /** @description Moves of this version, the newest first; the last 200. */
            history: components["schemas"]["SkillMove"][];
        };
        SkillVersionPage: {
            items: components["schemas"]["SkillVersionItem"][];
            next_cursor: string | null;
        };
        /** @description The `content_hash` that the reviewer saw. If it is no longer the version's, the answer is 409. Without `version` it is also 409 if another name, summary, domain, goal, tags, front matter or files were written under the hash, or if a former skill of this `doc_id` was deleted. */
        ReviewedHash: string;
        /** @description The `version` that the reviewer saw. If another waits by now, the answer is 409. The version covers everything that the reviewer saw; `content_hash` covers only description and content. A number is never used twice under a `doc_id`, also not after the skill was deleted. */
        ReviewedVersion: number;
        /** @description The history keeps it. */
        ReviewReason: string;
        SkillReviewRequest: {
            tenant_id?: components["schemas"]["TenantId"];
            content_hash?: components["schemas"]["ReviewedHash"];
            version?: components["schemas"]["ReviewedVersion"];
            reason?: components["schemas"]["ReviewReason"];
        };
        /** @description At least one of content, description and summary; absent ones stay. */
        SkillEdit: {
            tenant_id?: components["schemas"]["TenantId"];
            /** @description At most `skills_factory.body_max_bytes` bytes. */
            content?: string;
            /** @description At most `skills_factory.description_max_bytes` bytes. */
            description?: string;
            /** @description Null for none. */
            summary?: string | null;
            content_hash?: components["schemas"]["ReviewedHash"];
            version?: components["schemas"]["ReviewedVersion"];
            reason?: components["schemas"]["ReviewReason"];
        };
        SkillRejection: {
            tenant_id?: components["schemas"]["TenantId"];
            reason: components["schemas"]["ReviewReason"];
            /** @description For how many days no skill like it is accepted; `skills_factory.rejection_cooloff_days` if absent. */
            cooloff_days?: number;
            content_hash?: components["schemas"]["ReviewedHash"];
            version?: components["schemas"]["ReviewedVersion"];
        };
        SkillQuarantine: {
            tenant_id?: components["schemas"]["TenantId"];
            reason: components["schemas"]["ReviewReason"];
            content_hash?: components["schemas"]["ReviewedHash"];
            version?: components["schemas"]["ReviewedVersion"];
        };
        SkillOverruling: {
            tenant_id?: components["schemas"]["TenantId"];
            reason: components["schemas"]["ReviewReason"];
            content_hash?: components["schemas"]["ReviewedHash"];
            version?: components["schemas"]["ReviewedVersion"];
        };
        SkillRollback: {
            tenant_id?: components["schemas"]["TenantId"];
            version: number;
            /** @description The `content_hash` of the version to go back to. */
            content_hash?: components["schemas"]["ReviewedHash"];
            reason?: components["schemas"]["ReviewReason"];
        };
        SkillReview: {
            doc_id: string;
            /** @description The slug without a prefix. */
            slug: string;
            /** @description The version that has `new_status`. */
            version: number;
            content_hash: components["schemas"]["ContentHash"];
            previous_status: components["schemas"]["SkillStatus"];
            new_status: components["schemas"]["SkillStatus"];
            /** @description What was done, in a sentence. */
            detail: string;
        };
        SkillOutcomeReport: {
            tenant_id?: components["schemas"]["TenantId"];
            outcome: components["schemas"]["Outcome"];
            run_id?: components["schemas"]["Id"];
        };
        /** @enum {string} */
        Outcome: "success" | "failure" | "partial";
        SkillOutcome: {
            doc_id: string;
            slug: string;
            /** @description The version that was active. */
            version: number;
            outcome: components["schemas"]["Outcome"];
            agent_id: string | null;
            run_id: string | null;
            at: components["schemas"]["Timestamp"];
        };
        InstallableQuery: {
            tenant_id: components["schemas"]["TenantId"];
            /** @description Skills of this fleet and of no fleet; absent for all. */
            fleet_id?: components["schemas"]["Name"];
            /** @description `next_cursor` of the page before. */
            cursor?: string;
            /** @default 200 */
            limit?: number;
            /**
             * @description False leaves out every `content`.
             * @default true
             */
            include_content?: boolean;
            /** @description Content hashes that the caller has, by `doc_id`; at most 10,000 of them. */
            known?: {
                [key: string]: components["schemas"]["ContentHash"];
            };
        };
        InstallablePage: {
            items: components["schemas"]["InstallableSkill"][];
            next_cursor: string | null;
            /** @description True on the last page of a walk that began without a cursor. */
            complete: boolean;
            /** @description The tag of all pairs of `doc_id` and `content_hash`, as they were when the walk began. */
            etag: string;
        };
        InstallableSkill: {
            doc_id: string;
            /** @description The slug without a prefix. */
            slug: string;
            name: string;
            description: string;
            summary: string | null;
            /** @description Markdown. Absent when `known` has the content hash, and with `include_content: false`. */
            content?: string;
            domain: string;
            /** @enum {string} */
            kind: "create" | "update";
            source: components["schemas"]["SkillSource"];
            tags: string[];
            version: number;
            content_hash: components["schemas"]["ContentHash"];
            overruled: components["schemas"]["NullableSkillOverruled"];
            front_matter: components["schemas"]["FrontMatter"];
            files: components["schemas"]["SkillFiles"];
            fleet_id: string | null;
            updated_at: components["schemas"]["Timestamp"];
        };
        /** @description Any part of `Settings`. Null restores the default of one setting, or of all in a group. A list is replaced whole. An unknown setting is 422 with its path. */
        SettingsChange: {
            tenant_id?: components["schemas"]["TenantId"];
        };
        KeyRequest: {
            tenant_id: components["schemas"]["TenantId"];
            /** @enum {string} */
            kind: "tenant" | "agent";
            /** @description Required for an agent key. */
            agent_id?: string | null;
            fleet_id?: components["schemas"]["NullableId"];
            trust_level?: components["schemas"]["Trust"];
            label?: string | null;
            /** Format: date-time */
            expires_at?: string | null;
        };
        KeyFields: {
            key_id: string;
            tenant_id: string;
            /** @enum {string} */
            kind: "tenant" | "agent";
            agent_id: string | null;
            fleet_id: string | null;
            trust_level: components["schemas"]["Trust"];
            label: string | null;
            created_at: components["schemas"]["Timestamp"];
            expires_at: components["schemas"]["NullableTimestamp"];
            revoked_at: components["schemas"]["NullableTimestamp"];
        };
        Key: components["schemas"]["KeyFields"];
        MintedKey: components["schemas"]["KeyFields"] & {
            /** @description Shown once. */
            api_key: string;
        };
        KeyPage: {
            items: components["schemas"]["Key"][];
            next_cursor: string | null;
        };
        Indexing: {
            /** @description Rows that are not indexed yet. */
            pending: number;
            oldest_pending_age_s: number | null;
            /** @description Rows that failed 8 times and are not retried. */
            failed: number;
            index: {
                /** @enum {string} */
                engine: "opensearch" | "sqlite";
                name: string | null;
                documents: number | null;
                available: boolean;
            };
            embedder: {
                /** @description The model whose vectors the index has. */
                id: string;
                dimensions: number;
                /** @description About how many languages the model knows; null for a model that is not built in. */
                languages: number | null;
                available: boolean;
                /** @description Languages that the model does not know, where a twentieth of the texts of a tenant or more are in one: the most frequent 20. Empty for a model that is not built in. */
                unknown_languages: {
                    tenant_id: string;
                    language: string;
                    /** @description Memories and documents written in it, deleted ones among them. */
                    memories: number;
                    /** @description Their share of the texts whose language is known, from 0 to 1. */
                    share: number;
                }[];
            };
        };
        Enrichment: {
            /** @description Whether this process enqueues what it writes. */
            enabled: boolean;
            model: string | null;
            /** @description Memories that are still to be read. */
            waiting: number;
            oldest_waiting_age_s: number | null;
            /** @description Budget of each tenant; null for none. */
            tokens_per_day: number | null;
            /** @description Since midnight, UTC. */
            today: {
                calls: number;
                input_tokens: number;
                output_tokens: number;
                enriched: number;
                failed: number;
            };
        };
        ErasureSelector: {
            tenant_id: components["schemas"]["TenantId"];
            agent_id?: components["schemas"]["Name"];
            /** Format: uuid */
            subject_entity_id?: string;
            memory_ids?: string[];
        } & (unknown | unknown | unknown);
        ErasureRequest: {
            /**
             * @description Only report what would be erased.
             * @default false
             */
            preview?: boolean;
        } & components["schemas"]["ErasureSelector"];
        ErasurePreview: {
            /** @constant */
            preview: true;
            tenant_id: string;
            /** @description Memories that would be erased, deleted and private ones included. */
            memory_count: number;
        };
        ErasurePlace: {
            /** @description A table of the database (`postgres.memories`), an index, the indices that are being removed (`search.removed`), or the queue. */
            place: string;
            /** @description Rows that contained what was erased. */
            before: number | null;
            /** @description Rows that contain it now; null while the place does not answer. */
            after: number | null;
            mentions: components["schemas"]["ErasureMentions"];
            /** @description True for places that keep ids by design: the audit log, and the record of the erasure itself. */
            kept: boolean;
        };
        /** @description Other rows in which a caller wrote an id of something erased, or the name of the erased entity. They stay. */
        ErasureMentions: number;
        /**
         * @description The places because of which `complete` and `clean` are false. A place holds a trace, has the name of the erased entity in a text that
         *     callers wrote, or does not answer. Change or delete these texts, then ask for the same erasure again.
         */
        ErasureRemaining: {
            place: string;
            /** @description Rows; null while the place does not answer. */
            count: number | null;
        }[];
        /** @description Memories that may be about the entity but are not linked to it yet. Either they contain the name and a language model is still to read them, or they were not read in time. 0 if the erasure does not select by an entity. */
        ErasurePendingCount: number;
        ErasureReceipt: {
            /** Format: uuid */
            erasure_id: string;
            tenant_id: string;
            at: components["schemas"]["Timestamp"];
            memory_count: number;
            /** @description Skills that cited what this request erased and have no words of it. They wait for a review; an active one stays served meanwhile. */
            reviewed_skill_count: number;
            /** @description Skills whose served or waiting version had words of what was erased, or cited nothing else. The version was removed before this answer, and the Forge makes the skill anew from what is left. */
            withdrawn_skill_count: number;
            /** @description Memories that stay although their status comes from an erased one. Each says so in `system_metadata.derived_from_erased`. */
            derived_count: number;
            pending_count: components["schemas"]["ErasurePendingCount"];
            places: components["schemas"]["ErasurePlace"][];
            remaining: components["schemas"]["ErasureRemaining"];
            /** @description Tables whose dead rows were removed. A row that an open transaction still sees goes later. */
            vacuumed: string[];
            /** @description Tables that the erasure leaves to autovacuum. The login does not own them, they took too long, or another erasure vacuumed for as long. */
            not_vacuumed: string[];
            /** @description What no erasure reaches. An operator has to see to it. */
            outside: string[];
            /** @description False while a place is away or still holds something: verify it later. False too while `pending_count` is not 0. */
            complete: boolean;
            /** @description The hash of the erased ids, sorted, and of the receipt without this field. */
            hash: string;
        };
        ErasureVerification: {
            /** Format: uuid */
            erasure_id: string;
            tenant_id: string;
            erased_at: components["schemas"]["Timestamp"];
            verified_at: components["schemas"]["Timestamp"];
            memory_count: number;
            pending_count: components["schemas"]["ErasurePendingCount"];
            places: {
                place: string;
                /** @description Null while the place does not answer. */
                found: number | null;
                mentions: components["schemas"]["ErasureMentions"];
                kept: boolean;
            }[];
            remaining: components["schemas"]["ErasureRemaining"];
            /** @description True when nothing was found except where ids are kept by design, and `pending_count` is 0. */
            clean: boolean;
            hash: string;
        };
        Enqueued: {
            enqueued: number;
        };
        IndexVerificationRequest: {
            /** @description Only this tenant. */
            tenant_id?: components["schemas"]["TenantId"];
            /** @description How many rows and entries of each tenant and corpus are compared, chosen at random. Without it all are. */
            sample?: number;
            /**
             * @description Equal seeds choose equal samples.
             * @default 0
             */
            seed?: number;
            /**
             * @description Enqueue what differs.
             * @default false
             */
            repair?: boolean;
            /** @description `next_cursor` of the answer before; bound to the tenant, the sample and the seed. */
            cursor?: string;
        };
        IndexVerification: {
            memories: components["schemas"]["VerifiedCorpus"];
            documents: components["schemas"]["VerifiedCorpus"];
            differences: components["schemas"]["IndexDifference"][];
            /** @description Differences that this request has enqueued. */
            enqueued: number;
            /** @description Null at the end. */
            next_cursor: string | null;
        };
        VerifiedCorpus: {
            /** @description Rows that were compared with their entries. */
            rows: number;
            /** @description Entries whose rows were looked for. */
            entries: number;
            /** @description Rows and entries that were left out because a change of theirs is on its way into the index. */
            in_flight: number;
        };
        IndexDifference: {
            tenant_id: string;
            /** @enum {string} */
            corpus: "memories" | "documents";
            id: string;
            /**
             * @description A row without an entry, an entry that differs from its row, or an entry without a live row of the tenant.
             * @enum {string}
             */
            difference: "missing" | "differs" | "orphan";
        };
        ForgeTrigger: {
            /** @description Only this tenant; nothing is begun unless it opted in. */
            tenant_id?: components["schemas"]["TenantId"];
            /**
             * @description Do all of the work and record it, and change no skill.
             * @default false
             */
            dry_run?: boolean;
        };
        ForgeTriggered: {
            /** @enum {string} */
            action: "forge-distill";
            /** @description Runs that the queue took. */
            published: number;
            /** @description Runs that the queue did not take now; they wait in the database. */
            failed: number;
            runs: {
                tenant_id: string;
                /** Format: uuid */
                run_id: string;
            }[];
        };
        ForgeRunFields: {
            /** Format: uuid */
            run_id: string;
            tenant_id: string;
            /**
             * @description A run has failed if every part that it got to failed, or every candidate. Between two of its turns, while other tenants have theirs, it is queued.
             * @enum {string}
             */
            state: "queued" | "running" | "succeeded" | "failed";
            /** @enum {string} */
            trigger: "schedule" | "manual";
            /**
             * Format: date-time
             * @description When a scheduled run was due.
             */
            slot: string | null;
            dry_run: boolean;
            /** Format: date-time */
            requested_at: string;
            /** Format: date-time */
            started_at: string | null;
            /** Format: date-time */
            finished_at: string | null;
            /** @description How many times a worker has begun the run. When a worker dies, the run goes on with another. */
            attempts: number;
            progress: components["schemas"]["ForgeRunProgress"];
            /** @description Why it failed. */
            error: string | null;
            /** @description Traces that the run read. A trace has the memories of one agent in one run. */
            traces: number;
            clusters: number;
            outcomes: components["schemas"]["ForgeRunOutcomes"];
            /** @description Candidates that are not listed, because an outcome lists 500. */
            unlisted: number;
            model: components["schemas"]["ForgeRunModel"];
        };
        /** @description How far the run has got; null when it is not running. */
        ForgeRunProgress: {
            /** @enum {string} */
            phase: "clustering" | "writing";
            done: number;
            of: number;
        } | null;
        /** @description Candidates by what came of them. */
        ForgeRunOutcomes: {
            created: number;
            /** @description The skill that waits got new evidence. */
            refreshed: number;
            unchanged: number;
            /** @description The active skill has all of its steps. */
            covered: number;
            /** @description The work was rejected not long ago, or another revision waits. */
            held: number;
            /** @description Beyond `forge.max_writes_per_run`; these come first next time. */
            deferred: number;
            failed: number;
        };
        /** @description What the run asked the language model for; null without one. */
        ForgeRunModel: {
            model: string;
            calls: number;
            failed: number;
            input_tokens: number;
            output_tokens: number;
            /** @description Why the run stopped asking it. */
            stopped: string | null;
        } | null;
        ForgeRunSummary: components["schemas"]["ForgeRunFields"];
        ForgeRun: components["schemas"]["ForgeRunFields"] & {
            parts: components["schemas"]["ForgePart"][];
            candidates: components["schemas"]["ForgeCandidate"][];
        };
        ForgePart: {
            /** @description Null for what the whole tenant sees. */
            fleet_id: string | null;
            /**
             * @description `left`: the run used up its time, or failed, before this part. The part comes first next time.
             * @enum {string}
             */
            state: "succeeded" | "failed" | "left";
            error: string | null;
            traces: number;
            memories: number;
            /** @description What the window has beyond what a run takes: the oldest traces, and those of more than 1,000 memories. */
            left_out: {
                traces: number;
                memories: number;
            };
            /** @description False if there were too many memories to compare their vectors too. */
            vectors: boolean;
            /** @description How the traces ended. */
            outcomes: {
                success: number;
                failure: number;
                unknown: number;
            };
            clusters: number;
            /** @description Clusters that became no skill. */
            unfit: {
                reason: string;
                clusters: number;
                traces: number;
            }[];
            seconds: number;
        };
        ForgeCandidate: {
            fleet_id: string | null;
            fingerprint: string;
            /** @description The skill that it is or is about; null where there is none. */
            doc_id: string | null;
            /** @enum {string} */
            outcome: "created" | "refreshed" | "unchanged" | "covered" | "held" | "deferred" | "failed";
            /** @description Why it is held, or which gates its evidence does not pass. */
            reason: string | null;
            /** @description Runs that succeeded. */
            runs: number;
            /** @description Agents of these runs. */
            agents: number;
            /** @enum {string} */
            wording: "extracted" | "model";
            /** @description Why the run did not take the model's words, or which of them it dropped. */
            wording_note: string | null;
        };
        ForgeRunPage: {
            items: components["schemas"]["ForgeRunSummary"][];
            next_cursor: string | null;
        };
        IndexBuildRequest: {
            /** @description `builtin`, `builtin:en`, `local:NAME`, or a model of the embeddings endpoint; by default the one that serves. */
            model?: string;
            /**
             * @description The index serves as soon as it is ready.
             * @default true
             */
            auto_switch?: boolean;
        };
        IndexBuild: {
            /** Format: uuid */
            build_id: string;
            /** @description Id of the embedder that made its vectors. */
            model: string;
            dimensions: number;
            /** @enum {string} */
            state: "waiting" | "backfilling" | "ready" | "serving" | "kept" | "failed" | "dropping" | "dropped";
            auto_switch: boolean;
            /** @description What delays the build, or made it fail. */
            error: string | null;
            /** @description The progress of the backfill, and its final state once it is complete. Null for the index that the database began with, and for a dropped index. */
            progress: {
                tenants: number;
                tenants_done: number;
                /** @description Memories to write. */
                memories: number;
                /** @description Memories that the backfill has written; new writes reach the index by themselves. */
                memories_done: number;
                /** @description Documents are written after all memories. */
                documents: number;
                documents_done: number;
            } | null;
            created_at: components["schemas"]["Timestamp"];
            /** @description When a worker found that the index is not whole; `error` says why. If it is the serving index, another takes its place by itself. No other index is replaced. other index is replaced. */
            lost_at: components["schemas"]["NullableTimestamp"];
            ready_at: components["schemas"]["NullableTimestamp"];
            switched_at: components["schemas"]["NullableTimestamp"];
            dropped_at: components["schemas"]["NullableTimestamp"];
        };
        IndexBuildPage: {
            items: components["schemas"]["IndexBuild"][];
            next_cursor: string | null;
        };
        IndexBuildTenant: {
            tenant_id: string;
            /** @enum {string} */
            state: "waiting" | "backfilling" | "done";
            /** @description Memories that the tenant has now. */
            memories: number;
            memories_done: number;
            documents: number;
            documents_done: number;
        };
        IndexBuildTenantPage: {
            items: components["schemas"]["IndexBuildTenant"][];
            next_cursor: string | null;
        };
        /** @description Requests per minute for each key of the tenant; null means the service's default. */
        RateLimits: {
            writes: number | null;
            recalls: number | null;
            bulk: number | null;
            inbox: number | null;
            /** @description Messages of `/mcp`. The operations that they call count in their own class too. */
            messages: number | null;
        };
        Tenant: {
            tenant_id: string;
            created_at: components["schemas"]["Timestamp"];
            agent_count: number;
            /** @description Number of memories, without deleted ones. */
            memory_count: number;
            memories_limit: number | null;
            retention_days: number;
            rate_limits: components["schemas"]["RateLimits"];
        };
        TenantPage: {
            items: components["schemas"]["Tenant"][];
            next_cursor: string | null;
        };
        TenantPatch: {
            memories_limit?: number | null;
            retention_days?: number;
            rate_limits?: {
                writes?: number | null;
                recalls?: number | null;
                bulk?: number | null;
                inbox?: number | null;
                messages?: number | null;
            };
        };
    };
    responses: {
        /** @description Unreadable JSON or a tampered cursor or header. */
        BadRequest: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description No credential, or one that is not accepted. */
        Unauthorized: {
            headers: {
                "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The tenant's memory quota is used up. */
        PaymentRequired: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The caller is known but not permitted. If its trust is too low, the answer has `required_trust_level` and `caller_trust_level`. */
        Forbidden: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description No such row for this caller. */
        NotFound: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body did not arrive within 15 seconds. */
        RequestTimeout: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A duplicate, a version that has changed, or a request in progress. */
        Conflict: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is larger than the route takes. */
        PayloadTooLarge: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is not application/json. */
        UnsupportedMediaType: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The `Expect` header is something other than `100-continue`. The connection is closed. */
        ExpectationFailed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Validation failed; `detail` and `error.details.errors` list the errors. */
        InvalidArguments: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ValidationError"];
            };
        };
        /** @description A limiter refused the request. With `X-RateLimit-*` it was the application limiter, whose message names the limit. Or the tenant's request queue is full; then `X-RateLimit-Remaining` is above 0. Without `X-RateLimit-*` it was the gateway limiter. */
        RateLimited: {
            headers: {
                /** @description Seconds to wait before the next try. */
                "Retry-After": string;
                "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request line and the headers together are larger than 16 KiB. The connection is closed. */
        HeadersTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A fault of the service; the message carries the request id. */
        InternalError: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A dependency that this request needs is unavailable. */
        Unavailable: {
            headers: {
                "Retry-After"?: string;
                "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The deadline of the request passed. */
        UpstreamTimeout: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
        TenantId: components["schemas"]["TenantId"];
        /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
        ActingAgent: components["schemas"]["Name"];
        /** @description 1–255 visible ASCII characters, else 400; the answer and a digest of the key are kept for 24 hours. */
        IdempotencyKey: string;
        /** @description The `ETag` of the version to change, a list of them, or `*` for any. Another version is 409 with `details.current_version`, and anything else is 400. */
        IfMatch: string;
        /** @description The `ETag`s that the caller has, or `*`; weak tags match too. Anything else in the list matches nothing. */
        IfNoneMatch: string;
        /** @description `*` writes the document only if it does not exist, else 409 with `details.current_version`; anything else is 400. */
        IfNone: string;
        /** @description Must agree with the credential. */
        RequiredTenantId: components["schemas"]["TenantId"];
        KeystoneDocId: components["schemas"]["KeystoneId"];
        /** @description The fleet, instead of the caller's own. */
        KeystoneFleet: components["schemas"]["Name"];
        /** @description The agent, instead of the acting one. */
        KeystoneAgent: components["schemas"]["Name"];
        /** @description The `doc_id`, with its prefix. A `/` in it may be raw or `%2F`. */
        SkillSlug: components["schemas"]["DocId"];
        IncludeContent: boolean;
        MemoryId: string;
        AgentFilter: components["schemas"]["Name"];
        /** @description Another fleet than the caller's needs trust 2. */
        FleetFilter: components["schemas"]["Name"];
        /** @description Length of the intervals. Weeks begin on Monday. */
        Interval: "hour" | "day" | "week";
        /** @description The first interval has this moment in it. Default: a day, 30 days or 26 weeks before `to`, by the interval. */
        IntervalsFrom: string;
        /** @description The last interval has the moment before this in it. Default: now. */
        IntervalsTo: string;
        /** @description The zone whose days are counted, such as Asia/Tokyo. Default: UTC. */
        IntervalsZone: string;
        MemoryTypeFilter: components["schemas"]["MemoryType"];
        StatusFilter: components["schemas"]["MemoryStatus"];
        IncludeDeleted: boolean;
        /** @description Reads what was stored at this moment, with the content and status that it had then. A memory is shown if the caller may see it now, and could see it as it was then. One that was deleted since needs `include_deleted`. What changed is kept for `retention_days`, the newest 200 versions of a memory; one of which that moment is no longer kept is left out. Counts, links to entities and names of agents are the present ones. A moment in the future is 422. */
        KnownAt: string;
        /** @description `next_cursor` of the page before; bound to the tenant and the filters. */
        Cursor: string;
        Limit: number;
        /** @description Only documents of this fleet and of no fleet. It is a filter and needs no more trust. */
        DocumentFleet: components["schemas"]["Name"];
    };
    requestBodies: never;
    headers: {
        /** @description A strong entity tag of this version of the record. It is opaque: send it back unchanged. */
        ETag: string;
        /** @description A strong entity tag of the whole list. */
        SetETag: string;
        /** @description A weak entity tag of the contract, the same for its compressed form. */
        ContractETag: string;
        /** @description The hash of the bytes. */
        FileETag: string;
        /** @description How a key is sent beside `X-API-Key`. */
        WwwAuthenticate: string;
        /** @description Requests of this class that the key may make in each minute. Operations whose `x-rate-limit` is a class send it, once the key is known. */
        RateLimitLimit: string;
        /** @description Requests left in this minute. */
        RateLimitRemaining: string;
        /** @description When the next minute begins, in Unix seconds. */
        RateLimitReset: string;
        /** @description `true` when this is the answer of an earlier request with the same key. */
        IdempotentReplayed: "true";
    };
    pathItems: never;
}
export interface operations {
    getRoot: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Paths to go on from. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Root"];
                };
            };
            400: components["responses"]["BadRequest"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    getOpenapi: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag`s that the caller has, or `*`; weak tags match too. Anything else in the list matches nothing. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The contract as OpenAPI 3.1. */
            200: {
                headers: {
                    ETag: components["headers"]["ContractETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, unknown>;
                };
            };
            /** @description The contract has one of the tags in `If-None-Match`. */
            304: {
                headers: {
                    ETag: components["headers"]["ContractETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process serves; `degraded` when a dependency is unavailable or takes no writes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            400: components["responses"]["BadRequest"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    getReady: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description PostgreSQL answers and takes writes, and every migration is applied. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ready"];
                };
            };
            400: components["responses"]["BadRequest"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    getPublicStats: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Counter names and their values. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicStats"];
                };
            };
            400: components["responses"]["BadRequest"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    whoami: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The caller. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Whoami"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    listMemories: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
                agent_id?: components["parameters"]["AgentFilter"];
                /** @description Another fleet than the caller's needs trust 2. */
                fleet_id?: components["parameters"]["FleetFilter"];
                memory_type?: components["parameters"]["MemoryTypeFilter"];
                status?: components["parameters"]["StatusFilter"];
                visibility?: components["schemas"]["Visibility"];
                run_id?: components["schemas"]["RunId"];
                language?: components["schemas"]["Language"];
                /** @description Only memories written after this time. */
                created_after?: string;
                /** @description Only memories written before this time. */
                created_before?: string;
                /** @description Only memories that were written before this time and not recalled since. */
                unused_since?: string;
                /** @description Only memories that a recall has returned, or that none has. In the order of `last_recalled_at` the latter count as the oldest. */
                recalled?: "ever" | "never";
                /** @description A filter as that of a recall, written as JSON. */
                filter?: string;
                include_deleted?: components["parameters"]["IncludeDeleted"];
                /** @description Reads what was stored at this moment, with the content and status that it had then. A memory is shown if the caller may see it now, and could see it as it was then. One that was deleted since needs `include_deleted`. What changed is kept for `retention_days`, the newest 200 versions of a memory; one of which that moment is no longer kept is left out. Counts, links to entities and names of agents are the present ones. A moment in the future is 422. */
                known_at?: components["parameters"]["KnownAt"];
                sort?: "created_at" | "weight" | "recall_count" | "last_recalled_at";
                order?: "asc" | "desc";
                /** @description `next_cursor` of the page before; bound to the tenant and the filters. */
                cursor?: components["parameters"]["Cursor"];
                limit?: components["parameters"]["Limit"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page; `next_cursor` is null on the last one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    createMemory: {
        parameters: {
            query?: never;
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
                /** @description 1–255 visible ASCII characters, else 400; the answer and a digest of the key are kept for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemoryWrite"];
            };
        };
        responses: {
            /** @description The stored memory, with the tenant's usage. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Memory"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PaymentRequired"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    createMemories: {
        parameters: {
            query?: never;
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
                /** @description 1–255 visible ASCII characters, else 400; the answer and a digest of the key are kept for 24 hours. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BulkWrite"];
            };
        };
        responses: {
            /** @description Every item was stored. */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkAnswer"];
                };
            };
            /** @description Some items were duplicates or refused; each result says which. */
            207: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    getMemoryStats: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
                /** @description Another fleet than the caller's needs trust 2. */
                fleet_id?: components["parameters"]["FleetFilter"];
                agent_id?: components["parameters"]["AgentFilter"];
                /** @description `agent` counts one's own memories (trust 1), `fleet` those of a fleet (trust 1 for one's own, 2 for another), `all` the tenant's (trust 2). Without it, those that the caller may see. */
                scope?: "agent" | "fleet" | "all";
                memory_type?: components["parameters"]["MemoryTypeFilter"];
                status?: components["parameters"]["StatusFilter"];
                include_deleted?: components["parameters"]["IncludeDeleted"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Counts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryStats"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    getMemoryTimeline: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
                /** @description Length of the intervals. Weeks begin on Monday. */
                interval?: components["parameters"]["Interval"];
                /** @description The first interval has this moment in it. Default: a day, 30 days or 26 weeks before `to`, by the interval. */
                from?: components["parameters"]["IntervalsFrom"];
                /** @description The last interval has the moment before this in it. Default: now. */
                to?: components["parameters"]["IntervalsTo"];
                /** @description The zone whose days are counted, such as Asia/Tokyo. Default: UTC. */
                timezone?: components["parameters"]["IntervalsZone"];
                /** @description Counts each value apart as well. The key for no agent or fleet is `(none)`. */
                by?: "type" | "agent" | "fleet" | "visibility";
                /** @description Another fleet than the caller's needs trust 2. */
                fleet_id?: components["parameters"]["FleetFilter"];
                agent_id?: components["parameters"]["AgentFilter"];
                /** @description `agent` counts one's own memories (trust 1), `fleet` those of a fleet (trust 1 for one's own, 2 for another), `all` the tenant's (trust 2). Without it, those that the caller may see. */
                scope?: "agent" | "fleet" | "all";
                memory_type?: components["parameters"]["MemoryTypeFilter"];
                visibility?: components["schemas"]["Visibility"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Counts by interval, the earliest first. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryTimeline"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    getMemory: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
                include_deleted?: components["parameters"]["IncludeDeleted"];
                /** @description Reads what was stored at this moment, with the content and status that it had then. A memory is shown if the caller may see it now, and could see it as it was then. One that was deleted since needs `include_deleted`. What changed is kept for `retention_days`, the newest 200 versions of a memory; one of which that moment is no longer kept is left out. Counts, links to entities and names of agents are the present ones. A moment in the future is 422. */
                known_at?: components["parameters"]["KnownAt"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                memory_id: components["parameters"]["MemoryId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The memory. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Memory"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    deleteMemory: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                memory_id: components["parameters"]["MemoryId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    patchMemory: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
                /** @description The `ETag` of the version to change, a list of them, or `*` for any. Another version is 409 with `details.current_version`, and anything else is 400. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                memory_id: components["parameters"]["MemoryId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemoryPatch"];
            };
        };
        responses: {
            /** @description The memory as it is now. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Memory"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    listMemoryVersions: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
                /** @description `next_cursor` of the page before; bound to the tenant and the filters. */
                cursor?: components["parameters"]["Cursor"];
                limit?: components["parameters"]["Limit"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                memory_id: components["parameters"]["MemoryId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page; `next_cursor` is null on the last one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryVersionPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    restoreMemoryVersion: {
        parameters: {
            query?: never;
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
                /** @description The `ETag` of the version to change, a list of them, or `*` for any. Another version is 409 with `details.current_version`, and anything else is 400. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                memory_id: components["parameters"]["MemoryId"];
                version: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VersionRestore"];
            };
        };
        responses: {
            /** @description The memory as it is now. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Memory"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    rateMemory: {
        parameters: {
            query?: never;
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                memory_id: components["parameters"]["MemoryId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Feedback"];
            };
        };
        responses: {
            /** @description The memory with its new weight. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Memory"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    getLineage: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                memory_id: components["parameters"]["MemoryId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The visible members, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Lineage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    moveMemories: {
        parameters: {
            query?: never;
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StatusMoves"];
            };
        };
        responses: {
            /** @description Every memory has the status now. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusMovesAnswer"];
                };
            };
            /** @description Some were refused; each result says so. */
            207: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusMovesAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    archiveMemories: {
        parameters: {
            query?: never;
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ArchiveRule"];
            };
        };
        responses: {
            /** @description What meets the rule, and what was archived. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArchiveAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    redistributeMemories: {
        parameters: {
            query?: never;
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Redistribution"];
            };
        };
        responses: {
            /** @description What was handed over, and what was not. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RedistributionAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    listKeystones: {
        parameters: {
            query: {
                /** @description Must agree with the credential. */
                tenant_id: components["parameters"]["RequiredTenantId"];
                /** @description The fleet, instead of the caller's own. */
                fleet_id?: components["parameters"]["KeystoneFleet"];
                /** @description The agent, instead of the acting one. */
                agent_id?: components["parameters"]["KeystoneAgent"];
                /** @description Return `{count, items}` instead of the bare list. */
                envelope?: boolean;
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
                /** @description The `ETag`s that the caller has, or `*`; weak tags match too. Anything else in the list matches nothing. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rules, as a bare list or in an envelope. */
            200: {
                headers: {
                    ETag: components["headers"]["SetETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeystoneList"];
                };
            };
            /** @description The list has one of the tags in `If-None-Match`. */
            304: {
                headers: {
                    ETag: components["headers"]["SetETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    setKeystone: {
        parameters: {
            query?: never;
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
                /** @description The `ETag` of the version to change, a list of them, or `*` for any. Another version is 409 with `details.current_version`, and anything else is 400. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeystoneWrite"];
            };
        };
        responses: {
            /** @description The rule as stored. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Keystone"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    deleteKeystone: {
        parameters: {
            query: {
                /** @description Must agree with the credential. */
                tenant_id: components["parameters"]["RequiredTenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                doc_id: components["parameters"]["KeystoneDocId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rule is in no list any more. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedKeystone"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    listKeystoneVersions: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
                /** @description `next_cursor` of the page before; bound to the tenant and the filters. */
                cursor?: components["parameters"]["Cursor"];
                limit?: components["parameters"]["Limit"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                doc_id: components["parameters"]["KeystoneDocId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page; `next_cursor` is null on the last one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeystoneVersionPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    acknowledgeKeystones: {
        parameters: {
            query?: never;
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeystoneReceipt"];
            };
        };
        responses: {
            /** @description The acknowledgement as recorded. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeystoneAcknowledgement"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    getKeystoneCoverage: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
                /** @description Only agents of this fleet. */
                fleet_id?: components["schemas"]["Name"];
                /** @description Only this agent. */
                agent_id?: components["schemas"]["Name"];
                /** @description The acknowledgement of this run, instead of the last one. */
                run_id?: components["schemas"]["RunId"];
                /** @description Only those whose list is the current one, or only the others. */
                current?: boolean;
                /** @description Include agents that have acknowledged nothing, with nulls. */
                include_silent?: boolean;
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Agents by agent_id, each with its last acknowledgement. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeystoneCoverage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    listAudit: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
                action?: components["schemas"]["AuditAction"];
                /** @description The agent that acted. */
                agent_id?: components["schemas"]["Name"];
                /** @description The record that was changed. */
                subject_id?: string;
                /** @description Only events after this time. */
                after?: string;
                /** @description Only events before this time. */
                before?: string;
                /** @description `next_cursor` of the page before; bound to the tenant and the filters. */
                cursor?: components["parameters"]["Cursor"];
                limit?: components["parameters"]["Limit"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page; `next_cursor` is null on the last one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    recall: {
        parameters: {
            query?: never;
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecallRequest"];
            };
        };
        responses: {
            /** @description The memories found, best first. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecallAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    listRecalls: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
                /** @description The agent that recalled. */
                agent_id?: components["schemas"]["Name"];
                /** @description Only degraded recalls, or only complete ones. */
                degraded?: boolean;
                /** @description Only recalls after this time. */
                after?: string;
                /** @description Only recalls before this time. */
                before?: string;
                /** @description `next_cursor` of the page before; bound to the tenant and the filters. */
                cursor?: components["parameters"]["Cursor"];
                limit?: components["parameters"]["Limit"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page; `next_cursor` is null on the last one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecallRecordPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    getRecallStats: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
                /** @description Length of the intervals. Weeks begin on Monday. */
                interval?: components["parameters"]["Interval"];
                /** @description The first interval has this moment in it. Default: a day, 30 days or 26 weeks before `to`, by the interval. */
                from?: components["parameters"]["IntervalsFrom"];
                /** @description The last interval has the moment before this in it. Default: now. */
                to?: components["parameters"]["IntervalsTo"];
                /** @description The zone whose days are counted, such as Asia/Tokyo. Default: UTC. */
                timezone?: components["parameters"]["IntervalsZone"];
                /** @description The agent that recalled. */
                agent_id?: components["schemas"]["Name"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Figures by interval, the earliest first, and by agent, those with most recalls first. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecallStats"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    getRecall: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                recall_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The recall. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecallRecord"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    listEntities: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
                /** @description Words of the name. */
                query?: string;
                entity_type?: components["schemas"]["EntityType"];
                /** @description `next_cursor` of the page before; bound to the tenant and the filters. */
                cursor?: components["parameters"]["Cursor"];
                limit?: components["parameters"]["Limit"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, by name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EntityPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    getEntity: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                entity_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entity, with the number of visible memories linked to it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Entity"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    listAliasProposals: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                entity_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Proposals, those with the most evidence first, without the names that are merged already. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AliasProposals"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    mergeEntity: {
        parameters: {
            query?: never;
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                entity_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EntityMerge"];
            };
        };
        responses: {
            /** @description The entity as it is now. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Entity"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    splitEntity: {
        parameters: {
            query?: never;
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                entity_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EntitySplit"];
            };
        };
        responses: {
            /** @description The entity as it is now. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Entity"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    listDocuments: {
        parameters: {
            query: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
                collection: components["schemas"]["Collection"];
                /** @description Only documents of this fleet and of no fleet. It is a filter and needs no more trust. */
                fleet_id?: components["parameters"]["DocumentFleet"];
                language?: components["schemas"]["Language"];
                /** @description Only documents after this `doc_id`, by code points. */
                after?: string;
                /** @description `next_cursor` of the page before; bound to the tenant and the filters. */
                cursor?: components["parameters"]["Cursor"];
                limit?: components["parameters"]["Limit"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page; `next_cursor` is null on the last one. It ends before `limit` where the documents are large. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    putDocument: {
        parameters: {
            query?: never;
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
                /** @description The `ETag` of the version to change, a list of them, or `*` for any. Another version is 409 with `details.current_version`, and anything else is 400. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description `*` writes the document only if it does not exist, else 409 with `details.current_version`; anything else is 400. */
                "If-None-Match"?: components["parameters"]["IfNone"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DocumentWrite"];
            };
        };
        responses: {
            /** @description The document as it is now. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    putDocuments: {
        parameters: {
            query?: never;
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DocumentBulkWrite"];
            };
        };
        responses: {
            /** @description Every item is stored, or was already. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentBulkAnswer"];
                };
            };
            /** @description Some items were refused; each result says which. */
            207: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentBulkAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    queryDocuments: {
        parameters: {
            query?: never;
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DocumentQuery"];
            };
        };
        responses: {
            /** @description A page; `next_cursor` is null on the last one. It ends before `limit` where the documents are large. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    searchDocuments: {
        parameters: {
            query?: never;
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DocumentSearch"];
            };
        };
        responses: {
            /** @description The documents found, best first. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentSearchAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    listCollections: {
        parameters: {
            query: {
                /** @description Must agree with the credential. */
                tenant_id: components["parameters"]["RequiredTenantId"];
                /** @description Only documents of this fleet and of no fleet. It is a filter and needs no more trust. */
                fleet_id?: components["parameters"]["DocumentFleet"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All collections, from stored counters that include the caller's last write. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Collections"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    getDocument: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                collection: components["schemas"]["Collection"];
                /** @description May hold `/`, raw or as `%2F`. */
                doc_id: components["schemas"]["DocId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Document"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    deleteDocument: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
                /** @description The `ETag` of the version to change, a list of them, or `*` for any. Another version is 409 with `details.current_version`, and anything else is 400. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                collection: components["schemas"]["Collection"];
                /** @description May hold `/`, raw or as `%2F`. */
                doc_id: components["schemas"]["DocId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    listInstallable: {
        parameters: {
            query?: never;
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InstallableQuery"];
            };
        };
        responses: {
            /** @description A page; `next_cursor` is null on the last one. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstallablePage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    listInbox: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
                /** @description `next_cursor` of the page before; bound to the tenant and the filters. */
                cursor?: components["parameters"]["Cursor"];
                limit?: components["parameters"]["Limit"];
                /** @description Only documents of this fleet and of no fleet. It is a filter and needs no more trust. */
                fleet_id?: components["parameters"]["DocumentFleet"];
                status?: "staged" | "quarantined" | "candidate";
                include_content?: components["parameters"]["IncludeContent"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page; `next_cursor` is null on the last one. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InboxPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    getInboxSkill: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description The `doc_id`, with its prefix. A `/` in it may be raw or `%2F`. */
                slug: components["parameters"]["SkillSlug"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The skill. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InboxSkill"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    approveSkill: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description The `doc_id`, with its prefix. A `/` in it may be raw or `%2F`. */
                slug: components["parameters"]["SkillSlug"];
            };
            cookie?: never;
        };
        /** @description May be left out. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SkillReviewRequest"];
            };
        };
        responses: {
            /** @description What the review did. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SkillReview"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    editSkill: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description The `doc_id`, with its prefix. A `/` in it may be raw or `%2F`. */
                slug: components["parameters"]["SkillSlug"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SkillEdit"];
            };
        };
        responses: {
            /** @description What the review did. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SkillReview"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    rejectSkill: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description The `doc_id`, with its prefix. A `/` in it may be raw or `%2F`. */
                slug: components["parameters"]["SkillSlug"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SkillRejection"];
            };
        };
        responses: {
            /** @description What the review did. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SkillReview"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    quarantineSkill: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description The `doc_id`, with its prefix. A `/` in it may be raw or `%2F`. */
                slug: components["parameters"]["SkillSlug"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SkillQuarantine"];
            };
        };
        responses: {
            /** @description What the review did. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SkillReview"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    deferSkill: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description The `doc_id`, with its prefix. A `/` in it may be raw or `%2F`. */
                slug: components["parameters"]["SkillSlug"];
            };
            cookie?: never;
        };
        /** @description May be left out. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SkillReviewRequest"];
            };
        };
        responses: {
            /** @description What the review did. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SkillReview"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    restoreSkill: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description The `doc_id`, with its prefix. A `/` in it may be raw or `%2F`. */
                slug: components["parameters"]["SkillSlug"];
            };
            cookie?: never;
        };
        /** @description May be left out. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SkillReviewRequest"];
            };
        };
        responses: {
            /** @description What the review did. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SkillReview"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    overruleSkill: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description The `doc_id`, with its prefix. A `/` in it may be raw or `%2F`. */
                slug: components["parameters"]["SkillSlug"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SkillOverruling"];
            };
        };
        responses: {
            /** @description What the review did. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SkillReview"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    retireSkill: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description The `doc_id`, with its prefix. A `/` in it may be raw or `%2F`. */
                slug: components["parameters"]["SkillSlug"];
            };
            cookie?: never;
        };
        /** @description May be left out. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SkillReviewRequest"];
            };
        };
        responses: {
            /** @description What was done. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SkillReview"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    getSkillScan: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description The `doc_id`, with its prefix. A `/` in it may be raw or `%2F`. */
                slug: components["parameters"]["SkillSlug"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The verdict. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SkillVerdict"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    listSkillVersions: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
                /** @description `next_cursor` of the page before; bound to the tenant and the filters. */
                cursor?: components["parameters"]["Cursor"];
                limit?: components["parameters"]["Limit"];
                include_content?: components["parameters"]["IncludeContent"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description The `doc_id`, with its prefix. A `/` in it may be raw or `%2F`. */
                slug: components["parameters"]["SkillSlug"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page; `next_cursor` is null on the last one. It ends before `limit` where the contents are large. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SkillVersionPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    rollbackSkill: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description The `doc_id`, with its prefix. A `/` in it may be raw or `%2F`. */
                slug: components["parameters"]["SkillSlug"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SkillRollback"];
            };
        };
        responses: {
            /** @description What was done; `version` is the new one. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SkillReview"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    getSkillFile: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
                /** @description Needs trust 3. */
                version?: number;
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
                /** @description The `ETag`s that the caller has, or `*`; weak tags match too. Anything else in the list matches nothing. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description The `doc_id`, with its prefix. A `/` in it may be raw or `%2F`. */
                slug: components["parameters"]["SkillSlug"];
                /** @description Path within the folder. A `/` in it may be raw or `%2F`. */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bytes of the file. */
            200: {
                headers: {
                    ETag: components["headers"]["FileETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description The file has one of the tags in `If-None-Match`. */
            304: {
                headers: {
                    ETag: components["headers"]["FileETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    reportSkillOutcome: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description The `doc_id`, with its prefix. A `/` in it may be raw or `%2F`. */
                slug: components["parameters"]["SkillSlug"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SkillOutcomeReport"];
            };
        };
        responses: {
            /** @description The report as it is kept. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SkillOutcome"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    listAgents: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
                /** @description Another fleet than the caller's needs trust 2. */
                fleet_id?: components["parameters"]["FleetFilter"];
                trust_level?: components["schemas"]["Trust"];
                /** @description `next_cursor` of the page before; bound to the tenant and the filters. */
                cursor?: components["parameters"]["Cursor"];
                limit?: components["parameters"]["Limit"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, by agent_id. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    getAgent: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description A `/` in it may be raw or `%2F`. */
                agent_id: components["schemas"]["Name"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The agent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    putAgent: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description A `/` in it may be raw or `%2F`. */
                agent_id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        /** @description May be left out, for all defaults. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["AgentPut"];
            };
        };
        responses: {
            /** @description The agent. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    deleteAgent: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description A `/` in it may be raw or `%2F`. */
                agent_id: components["schemas"]["Name"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    patchAgent: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description A `/` in it may be raw or `%2F`. */
                agent_id: components["schemas"]["Name"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentPatch"];
            };
        };
        responses: {
            /** @description The agent. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    getSettings: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole tree. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settings"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    patchSettings: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
                /** @description The `ETag` of the version to change, a list of them, or `*` for any. Another version is 409 with `details.current_version`, and anything else is 400. */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SettingsChange"];
            };
        };
        responses: {
            /** @description The whole tree after the change. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settings"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    listFleets: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
                /** @description `next_cursor` of the page before; bound to the tenant and the filters. */
                cursor?: components["parameters"]["Cursor"];
                limit?: components["parameters"]["Limit"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, by fleet_id. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FleetPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    getFleet: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description A `/` in it may be raw or `%2F`. */
                fleet_id: components["schemas"]["Name"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The fleet. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Fleet"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    runForge: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description May be left out, for all tenants that opted in. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ForgeTrigger"];
            };
        };
        responses: {
            /** @description The runs; workers of the queue `forge` carry them out. */
            202: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ForgeTriggered"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    fanOutForge: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description May be left out, for all tenants that opted in. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ForgeTrigger"];
            };
        };
        responses: {
            /** @description The runs; workers of the queue `forge` carry them out. */
            202: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ForgeTriggered"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    listForgeRuns: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
                /** @description `next_cursor` of the page before; bound to the tenant and the filters. */
                cursor?: components["parameters"]["Cursor"];
                limit?: components["parameters"]["Limit"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page; `next_cursor` is null on the last one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ForgeRunPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    getForgeRun: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. Percent-encode characters that are not ASCII, or send them as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ForgeRun"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    listKeys: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
                /** @description `next_cursor` of the page before; bound to the tenant and the filters. */
                cursor?: components["parameters"]["Cursor"];
                limit?: components["parameters"]["Limit"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, newest first. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeyRequest"];
            };
        };
        responses: {
            /** @description The key, with `api_key`. */
            201: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MintedKey"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    deleteKey: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: never;
            path: {
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked. */
            204: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    getIndexing: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state of indexing. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Indexing"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    retryIndexing: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The number of rows that were enqueued again. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Enqueued"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    createErasure: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ErasureRequest"];
            };
        };
        responses: {
            /** @description The preview; nothing was erased. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErasurePreview"];
                };
            };
            /** @description The receipt. */
            201: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErasureReceipt"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    verifyErasure: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                erasure_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The result of the verification. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErasureVerification"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    reindex: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The number of rows that were enqueued. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Enqueued"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    getEnrichment: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state of enrichment. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Enrichment"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    enrichMemories: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
                /** @description Include memories on which enrichment failed. */
                retry_failed?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The number of memories that were enqueued. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Enqueued"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    verifyIndex: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description May be left out, for all tenants. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["IndexVerificationRequest"];
            };
        };
        responses: {
            /** @description What was compared since the request before, and what differs. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IndexVerification"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    listIndexBuilds: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before; bound to the tenant and the filters. */
                cursor?: components["parameters"]["Cursor"];
                limit?: components["parameters"]["Limit"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, newest first. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IndexBuildPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    createIndexBuild: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description May be left out, for all defaults. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["IndexBuildRequest"];
            };
        };
        responses: {
            /** @description The build; it continues in the background. */
            201: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IndexBuild"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    getIndexBuild: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                build_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The build. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IndexBuild"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    deleteIndexBuild: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                build_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Dropped. */
            204: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    switchIndexBuild: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                build_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The build; every process follows within a second. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IndexBuild"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    listIndexBuildTenants: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
                /** @description `next_cursor` of the page before; bound to the tenant and the filters. */
                cursor?: components["parameters"]["Cursor"];
                limit?: components["parameters"]["Limit"];
            };
            header?: never;
            path: {
                build_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, by tenant_id. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IndexBuildTenantPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    listTenants: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
                /** @description `next_cursor` of the page before; bound to the tenant and the filters. */
                cursor?: components["parameters"]["Cursor"];
                limit?: components["parameters"]["Limit"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, by tenant_id. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
    patchTenant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenant_id: components["schemas"]["TenantId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TenantPatch"];
            };
        };
        responses: {
            /** @description The tenant. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tenant"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            417: components["responses"]["ExpectationFailed"];
            422: components["responses"]["InvalidArguments"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["UpstreamTimeout"];
        };
    };
}
type WithRequired<T, K extends keyof T> = T & {
    [P in K]-?: T[P];
};
