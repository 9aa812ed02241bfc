/** Generated from openapi.yaml by scripts/generate-contract.mjs; not edited by hand. */

export interface paths {
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the paths of the contract, the documentation and the probes.
         * @description Returns the service's name and version and paths to go on from, all on this address. It is meant for whoever opens the service's address in a browser; no key is needed. As on every route, a slash at the end of a path makes no difference, and no answer is a redirect.
         */
        get: operations["getRoot"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get this description.
         * @description Returns this contract as JSON. No key is needed. Generate a client from it, or look up what an operation takes, who may call it and what it answers; each operation's limits and required trust are in its `x-` fields. Send the `ETag` back as `If-None-Match`, and an unchanged contract is 304.
         */
        get: operations["getOpenapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check liveness, with the state of each dependency.
         * @description Serves liveness probes and dashboards; no key is needed and no limiter counts it. The answer is 200 for as long as the process serves: a dependency that is unavailable makes `status` `degraded`, which is no reason to restart the process. Use `/api/v1/ready` to decide whether to send it traffic.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check readiness, for load balancers.
         * @description No key is needed and no limiter counts it. It is 503 while PostgreSQL does not answer, takes no writes (it is read-only, or its disk is full), or lacks migrations, so that a load balancer sends requests elsewhere; `Retry-After` says when to ask again.
         */
        get: operations["getReady"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get public counters for a status bar.
         * @description Counts all tenants together; at most one second old.
         */
        get: operations["getPublicStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/whoami": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the identity of the credential.
         * @description Returns the tenant, the kind of the key, and the agent, fleet and trust level that it acts with. A tenant key with `X-Agent-ID` gets those of that agent, with the lower trust of the two. The admin credential must name a tenant and has trust 3 there. Open to any key; one that is unknown, revoked or expired is 401.
         */
        get: operations["whoami"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/memories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List visible memories, page by page.
         * @description Open to any key of the tenant; at trust 0 the list holds the caller's own memories alone. Filters narrow the list and are combined with AND. A fleet other than the caller's needs trust 2, `include_deleted` trust 3: below that the answer is 403, never a shorter list. Pass `next_cursor` back as `cursor`, with the same filters, until it is null; an altered cursor, or a cursor of other filters, is 400.
         */
        get: operations["listMemories"];
        put?: never;
        /**
         * Write a memory.
         * @description The memory can be recalled as soon as this is answered.
         */
        post: operations["createMemory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/memories/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Write up to 500 memories, each stored or refused on its own.
         * @description Needs trust 1. `agent_id` and `fleet_id` stand beside `items` and apply to all of them; an item that names its own refuses the whole request with 422. Each item is checked and stored on its own: `results` says for each `index` whether it was `created`, is a `duplicate` (with the id of the existing memory) or an `error`. With an `Idempotency-Key` a repeated request gets the first answer and writes nothing.
         */
        post: operations["createMemories"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/memories/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count memories exactly, from stored counters.
         * @description Counts the memories that match the filters, by type, author and status. Without `scope` these are the memories that the caller may see; with it, private memories of others are counted too, though never shown. `scope=agent` and `scope=fleet` are 422 where the caller has no agent or names no fleet. The counts are exact and include the caller's last write. Open to any key of the tenant.
         */
        get: operations["getMemoryStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/memories/{memory_id}": {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                memory_id: components["parameters"]["MemoryId"];
            };
            cookie?: never;
        };
        /**
         * Read a memory.
         * @description Open to any key of the tenant. A memory that the caller may not see is 404, like one that does not exist. The `ETag` is its version: send it back as `If-Match` to change the memory only while it is unchanged. `include_deleted` at trust 3 also shows a deleted memory until it is purged.
         */
        get: operations["getMemory"];
        put?: never;
        post?: never;
        /**
         * Delete a memory; it is gone from recall before this answers.
         * @description Needs trust 1 for one's own memory, trust 3 for another's (403 below). The memory leaves every list and recall at once, no longer counts against the quota, and is purged after the tenant's `retention_days`; until then trust 3 may read it with `include_deleted`. Memories that it superseded stay as they are. To remove a memory for good at once, an operator erases it.
         */
        delete: operations["deleteMemory"];
        options?: never;
        head?: never;
        /**
         * Change a memory; needs trust 1 for one's own, 3 for others'.
         * @description With `If-Match` the memory changes only while it has that version; without it the last write wins. A field that already has the given value is
         *     no change: if nothing else is named, version, `ETag` and `updated_at` stay and nothing is audited.
         */
        patch: operations["patchMemory"];
        trace?: never;
    };
    "/api/v1/memories/{memory_id}/feedback": {
        parameters: {
            query?: never;
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                memory_id: components["parameters"]["MemoryId"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report the outcome of acting on a visible memory.
         * @description Takes any memory that the caller may see, at trust 1. `success` raises its `weight` by 0.10, `partial` by 0.03, and `failure` lowers it by 0.15, within 0.05 and 1; weight is part of how recall ranks. Each call counts, so send it once for each outcome. The audit log records who reported it and in which run.
         */
        post: operations["rateMemory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/memories/{memory_id}/lineage": {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                memory_id: components["parameters"]["MemoryId"];
            };
            cookie?: never;
        };
        /**
         * List the chain of memories that superseded one another.
         * @description Follows supersession in both directions from the given memory and returns the records of the chain that the caller may see, oldest first; a memory that superseded nothing is returned alone. A memory that the caller may not see is 404. Open to any key of the tenant.
         */
        get: operations["getLineage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/memories/bulk/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move up to 500 memories to a status, each on its own.
         * @description Needs trust 1 for one's own memories and 3 for others'. Callers move memories among `active`, `pending` and `confirmed`, from there to `cancelled` or `archived`, and from `archived` to `active`. Each is moved or refused on its own: `results` says which moved, which had the status already, and why another was refused (unknown, not the caller's, no such transition, or a duplicate text).
         */
        post: operations["moveMemories"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/memories/redistribute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hand an agent's memories over to another agent, some at a time.
         * @description Needs trust 3. Makes `to_agent_id`, which must exist (404), the author of memories of `from_agent_id`, at most `limit` in one request: repeat it until `remaining` is 0. Memories with `scope_agent` and texts that the other agent already has are never handed over; the answer counts both.
         */
        post: operations["redistributeMemories"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/keystones": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all rules that apply to an agent.
         * @description Returns the tenant's rules, those of a fleet and those of an agent: by default the caller's own fleet and agent, else those of `fleet_id` and `agent_id`. The heaviest come first, then the narrowest scope, then the last changed. The list is never cut short and is open to every trust level. Send the `ETag` back as `If-None-Match`, and an unchanged list is 304; the same tag is what a run acknowledges.
         */
        get: operations["listKeystones"];
        put?: never;
        /**
         * Write a rule, or replace the one with this `doc_id`.
         * @description Needs trust 1 for a rule of the caller's own agent, trust 2 for any other; replacing a rule needs the stricter of what it is and what it becomes. With `X-Agent-ID` a tenant key acts for that agent; `agent_id` in the body says whom the rule is for. The rule is in every list as soon as this is answered. A write that would change nothing makes no version, no event and no new `ETag`. The tenant's `pii_policy` applies to title and content. Since a list is never cut short, the rules of the whole tenant, of one fleet and of one agent may each have 8 MiB of UTF-8, counting 500 bytes more for each rule: a write beyond that is 409, with `details {bytes, bytes_limit}`.
         */
        post: operations["setKeystone"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/keystones/{doc_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a rule; its versions are kept.
         * @description Needs the trust that writing the stored rule needs.
         */
        delete: operations["deleteKeystone"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/keystones/{doc_id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of a rule and their authors, newest first.
         * @description A deletion is a version too. Versions are kept when the rule is deleted, and their numbers continue when it is written again.
         */
        get: operations["listKeystoneVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/keystones/acknowledgements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Acknowledge that a run of the acting agent received the rules with this tag.
         * @description Open to every trust level, like the list; the credential must act for an agent, else 422. A tag that was given out for no list of this tenant is 422; the tag of an older list is accepted, and `current` is false. Repeating an acknowledgement changes nothing; acknowledging another list replaces the run's earlier one. Acknowledgements are kept for 90 days, and an agent's last one for good.
         */
        post: operations["acknowledgeKeystones"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/keystones/coverage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List which agents have which rules, and since when.
         * @description Shows oneself and one's own fleet at trust 1; another fleet, and the whole tenant, at trust 2.
         */
        get: operations["getKeystoneCoverage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who changed what, newest first.
         * @description Needs trust 3. Shows the tenant's changes of memories, documents, keystones, agents, keys, settings and limits, and its erasures, each with who made it, when, and ids, names of fields and numbers; never a memory's text or a key's secret. Pass `next_cursor` back as `cursor`, with the same filters, until it is null.
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/recall": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Recall memories by vector, keyword and entity evidence.
         * @description Returns the memories that answer the query best, each with `score`, its parts and `similarity`; a memory can be found as soon as its write is answered. Open to any key of the tenant; at trust 0 it searches the caller's own memories alone, and other fleets in `fleet_ids` need trust 2 (403 below). Unless `statuses` says otherwise, active, pending and confirmed memories are returned, and outdated or conflicted ones where they are the best evidence. When a model or the search engine is unavailable, recall answers from what is left, and `degraded` names what was missing. `explain` adds why each memory was returned.
         */
        post: operations["recall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/recalls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List answered recalls, newest first; kept for 30 days.
         * @description Needs trust 3. Shows who recalled when, the filters of the recall, and ids and scores of the results, as far as the caller may see those memories now; never the text of a query or a memory. `agent_id`, `degraded`, `after` and `before` narrow the list.
         */
        get: operations["listRecalls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/recalls/{recall_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a recall: who asked, its results and why; needs trust 1 for one's own, 3 for others'.
         * @description Available within a second of the recall's answer, for 30 days.
         */
        get: operations["getRecall"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/entities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List entities that visible memories are linked to.
         * @description Shows the people, things and places that the memories visible to the caller are about, by name, each with the number of those memories. `query` takes words of the name. An entity that only others' private memories mention is not shown. Open to any key of the tenant.
         */
        get: operations["listEntities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/entities/{entity_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an entity.
         * @description Returns the entity with its name, its type and the number of visible memories about it. An entity that no visible memory is linked to is 404. Open to any key of the tenant.
         */
        get: operations["getEntity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/documents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the documents of a collection by `doc_id`, page by page.
         * @description Needs trust 1. Documents come by `doc_id`, in the order of code points; `fleet_id` narrows the list to documents of that fleet and of no fleet. To continue after a break, pass `next_cursor` back as `cursor`, or the last `doc_id` as `after`. An empty collection is an empty page; one that is reserved for the service is 422.
         */
        get: operations["listDocuments"];
        put?: never;
        /**
         * Write a new document, or the next version of one.
         * @description A write with the stored content is no change: version, `ETag` and `updated_at` stay and nothing is audited. With `If-Match` the document is
         *     written only while it exists in that version, with `If-None-Match: *` only if it does not exist; without either the last write wins. Another
         *     fleet's document needs trust 2. `doc_id` is required, except for a skill.
         *
         *     In the collection `skills` the document is a skill. `data` has `name` (at most 200 bytes), `slug` (`^[a-z0-9][a-z0-9._-]{0,99}$`, no prefix),
         *     `description` and `content` (Markdown; at most `skills_factory.description_max_bytes` and `body_max_bytes`), `domain` (100 bytes), `kind` (`create` or
         *     `update`), `source` (`agent`; `manual` needs trust 3 or the admin credential; `forge` and `imported` are for the service: 403) and may have
         *     `summary` (2,000 bytes; what a search finds it by: a sentence that says when to use it), `goal` (1,000 bytes), `tags` (20 of 100 bytes) and
         *     `target`; sizes count UTF-8. Answers add what the service knows: `status`, `content_hash`, `fingerprint`, `scan`, `gates`, `origin`, `evidence`, `cites`;
         *     a caller who gives one of those, or another field, gets 422. The write stores a version that waits for its scan, for at most a
         *     second of which the answer waits: `data.scan.state` is `clean`, `quarantined` or `pending`. It becomes `staged` for review, or with the
         *     setting `skills_factory.enabled` off `active` after a clean scan; the version that is active stays served meanwhile. `doc_id` is the slug with the
         *     prefix of its source (`agent/`, none for `manual`), which a bare or missing one gets. `kind: create` of a skill that exists is 409; `kind: update`
         *     needs `target.target_content_hash` (422), an existing skill (404) and its current hash (409).
         */
        post: operations["putDocument"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/documents/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Write up to 500 documents of a collection, each stored or refused on its own.
         * @description Repeating the request changes nothing. Of items with the same `doc_id` the last one wins.
         */
        post: operations["putDocuments"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/documents/query": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Query the documents of a collection by values of top-level keys, page by page.
         * @description Needs trust 1. `where` names up to 20 top-level keys of `data` and the value that each must have; without it all documents of the collection match. `order_by` takes `created_at`, `updated_at`, `doc_id` or a top-level key. Pass `next_cursor` back as `cursor`, with the same `where` and order, until it is null.
         */
        post: operations["queryDocuments"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/documents/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Search documents by words and meaning, best first.
         * @description Searches the whole tenant: `fleet_id` narrows to documents of that fleet and of no fleet; it is a filter, not a boundary. A document can be
         *     found as soon as its write is answered. `score` is 0.7 times `fts_score` (BM25 over all its strings, the best of the answer's candidates being
         *     1) plus 0.3 times `vec_sim` (the cosine, 0 to 1, of `data.summary`, else title, name and description, else all strings). `similarity` can be
         *     compared between queries.
         *     An answer holds some 4 MiB of documents, and at least one of any size: fewer than `top_k` where they are large, and `truncated` then says that
         *     more were found. A document that changes during the search is returned as it then is.
         */
        post: operations["searchDocuments"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/documents/collections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List collections that hold documents, by name, with exact counts.
         * @description Needs trust 1, and `tenant_id` always. Returns each collection with the number of its documents and when one of them was last written or deleted. `fleet_id` counts only documents of that fleet and of no fleet.
         */
        get: operations["listCollections"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/documents/{collection}/{doc_id}": {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                collection: components["schemas"]["Collection"];
                /** @description May hold `/`, raw or as `%2F`. */
                doc_id: components["schemas"]["DocId"];
            };
            cookie?: never;
        };
        /**
         * Read a document.
         * @description Needs trust 1. Returns `data` as it was written, with version and times. Send the `ETag` as `If-Match` to change or delete the document only while it is unchanged. A document that does not exist is 404.
         */
        get: operations["getDocument"];
        put?: never;
        post?: never;
        /**
         * Delete a document for good; another fleet's needs trust 2.
         * @description A document written again under this `doc_id` is a new one, with another `id` and `version` 1. Deleting a skill needs trust 3 and removes all of its versions, also one that waits for review.
         */
        delete: operations["deleteDocument"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/skills/installable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List active skills for installing them on disk, page by page.
         * @description Needs trust 1. Returns the active skills by `doc_id`; `fleet_id` narrows to that fleet and none. A skill of the Forge that belongs to a fleet is shown to that fleet, and from trust 2 on to others who name the fleet. Pass `next_cursor` back as `cursor`, with the same `fleet_id`, until it is null: only then `complete` is true, and what a whole walk has not shown is not in the catalogue. A page ends before `limit` where the skills are large. `etag` is of the catalogue as it was when the walk began: it changes with every skill that comes, goes or gets another text: content, description, name, summary, domain or tags. An item whose hash is in `known` comes without `content`.
         */
        post: operations["listInstallable"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/skills-inbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the skills that wait for a review.
         * @description Needs trust 3. Returns staged skills, the longest waiting first and deferred ones last. `status=quarantined` returns those that the scan or a reviewer refused, `status=candidate` those of the Forge that are not scanned yet or that a gate holds. A walk ends after `skills_factory.inbox_max_pending` skills; `total` counts all of them.
         */
        get: operations["listInbox"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/skills-inbox/{slug}": {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description The `doc_id`, with its prefix; its `/` raw or as `%2F`. */
                slug: components["parameters"]["SkillSlug"];
            };
            cookie?: never;
        };
        /**
         * Read a skill that waits, with its history and what it changes.
         * @description Needs trust 3. Returns the card with its content, every move of the skill so far, and `diff`: the lines by which its texts differ from the active version. A skill of which no version waits is 404.
         */
        get: operations["getInboxSkill"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/skills-inbox/{slug}/approve": {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description The `doc_id`, with its prefix; its `/` raw or as `%2F`. */
                slug: components["parameters"]["SkillSlug"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve a staged skill, which makes it active.
         * @description Needs trust 3. Scans the skill again first: with critical findings it becomes quarantined and the answer is 409 with `details.findings`. The version that was active becomes deprecated. A revision of a version that is not the active one any more is 409: edit it, which bases it on the active version. A skill in another state, or a `content_hash` that is not the version's any more, is 409.
         */
        post: operations["approveSkill"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/skills-inbox/{slug}/edit": {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description The `doc_id`, with its prefix; its `/` raw or as `%2F`. */
                slug: components["parameters"]["SkillSlug"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revise a staged skill, which scans it again.
         * @description Needs trust 3. Makes a new version with the given texts, which stays staged; author, source and cited memories stay. With critical findings it is stored as quarantined. `content_hash` of the answer is the new version's. A skill in another state, or a `content_hash` that is not the version's any more, is 409.
         */
        post: operations["editSkill"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/skills-inbox/{slug}/reject": {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description The `doc_id`, with its prefix; its `/` raw or as `%2F`. */
                slug: components["parameters"]["SkillSlug"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reject a staged or quarantined skill.
         * @description Needs trust 3. Nothing like it is accepted from agents or the Forge in the same fleet until the cool-off ends. When it is the copy of the active version, of which evidence was lost, that one is taken out of service. A skill in another state, or a `content_hash` that is not the version's any more, is 409.
         */
        post: operations["rejectSkill"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/skills-inbox/{slug}/quarantine": {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description The `doc_id`, with its prefix; its `/` raw or as `%2F`. */
                slug: components["parameters"]["SkillSlug"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Quarantine a staged skill.
         * @description Needs trust 3. When it is the copy of the active version, of which evidence was lost, that one is taken out of service. A skill in another state, or a `content_hash` that is not the version's any more, is 409.
         */
        post: operations["quarantineSkill"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/skills-inbox/{slug}/defer": {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description The `doc_id`, with its prefix; its `/` raw or as `%2F`. */
                slug: components["parameters"]["SkillSlug"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move a staged skill to the end of the inbox.
         * @description Needs trust 3. It stays staged. A skill in another state, or a `content_hash` that is not the version's any more, is 409.
         */
        post: operations["deferSkill"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/skills-inbox/{slug}/restore": {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description The `doc_id`, with its prefix; its `/` raw or as `%2F`. */
                slug: components["parameters"]["SkillSlug"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stage a quarantined or stale skill again.
         * @description Needs trust 3. Scans the skill first: with critical findings it stays as it is and the answer is 409 with `details.findings`. A skill in another state, or a `content_hash` that is not the version's any more, is 409.
         */
        post: operations["restoreSkill"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/skills/{slug}/retire": {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description The `doc_id`, with its prefix; its `/` raw or as `%2F`. */
                slug: components["parameters"]["SkillSlug"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take the active version of a skill out of service.
         * @description Needs trust 3. It becomes deprecated, and no search, list or read returns it from then on. A revision that waits stays in the inbox. The Forge proposes nothing like its own until the cool-off of the settings ends. A skill in another state, or a `content_hash` that is not the version's any more, is 409.
         */
        post: operations["retireSkill"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/skills/{slug}/versions": {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description The `doc_id`, with its prefix; its `/` raw or as `%2F`. */
                slug: components["parameters"]["SkillSlug"];
            };
            cookie?: never;
        };
        /**
         * List the versions of a skill, newest first.
         * @description Needs trust 3. Each has its texts (content only with `include_content`), its status and its moves. 100 versions are kept beside those that are active or wait, the ones first that were active.
         */
        get: operations["listSkillVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/skills/{slug}/rollback": {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description The `doc_id`, with its prefix; its `/` raw or as `%2F`. */
                slug: components["parameters"]["SkillSlug"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make an earlier version the active one again.
         * @description Needs trust 3. Takes a deprecated or stale version, scans it again, and stores its texts as the newest version, which is active at once; with critical findings the answer is 409 with `details.findings`. An unknown version is 404, one in another state or with another `content_hash` 409.
         */
        post: operations["rollbackSkill"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/skills/{slug}/outcomes": {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description The `doc_id`, with its prefix; its `/` raw or as `%2F`. */
                slug: components["parameters"]["SkillSlug"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report how it went with an active skill.
         * @description Needs trust 1. The Forge counts outcomes as signals of how a run ended. One report of an agent counts for a run: a later one replaces it.
         */
        post: operations["reportSkillOutcome"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tenant's agents.
         * @description Without `fleet_id` callers below trust 2 get the agents of their own fleet and of no fleet, others all of the tenant's; another fleet needs trust 2 (403 below). Deleted agents are not listed. `memory_count` of other agents is null below trust 2.
         */
        get: operations["listAgents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agents/{agent_id}": {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * Read an agent; needs trust 1 for another than one's own.
         * @description Returns the agent's name, fleet, trust level and when it was last seen. Trust 0 may read its own agent only (403 for others). An unknown or deleted agent is 404.
         */
        get: operations["getAgent"];
        /**
         * Register an agent or replace its fields.
         * @description Needs trust 3. An absent field gets its default: no name, no fleet, trust 1; use PATCH to change single fields. New trust and fleet apply to the agent's keys in every process within a second. The id of a deleted agent cannot be used again (409).
         */
        put: operations["putAgent"];
        post?: never;
        /**
         * Delete an agent and revoke its keys; its id stays reserved.
         * @description Needs trust 3. The agent's keys are refused in every process within a second. What the agent wrote stays, under its id; the id is never given to another agent. To remove its memories too, erase them, or hand them over to another agent first. An unknown or deleted agent is 404.
         */
        delete: operations["deleteAgent"];
        options?: never;
        head?: never;
        /**
         * Change an agent; absent fields stay, null clears.
         * @description Applies to the agent's keys within a second, in every process. When an agent changes its fleet, what it wrote stays in the fleet in which it was written.
         */
        patch: operations["patchAgent"];
        trace?: never;
    };
    "/api/v1/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the tenant's settings, with the defaults of those that it has not set.
         * @description Needs trust 3. Returns the whole tree, with the default of each setting that the tenant has not set. Send the `ETag` as `If-Match` of a change.
         */
        get: operations["getSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change settings; absent ones stay, null restores the default.
         * @description Applies to everything that begins after the answer, in any process; what is already stored stays as it is. The audit log records which
         *     settings changed, from what and to what. With `If-Match` the change applies only while the settings have that version; without it the last
         *     write of each setting wins. A setting that already has the given value is no change: if nothing else is named, the `ETag` stays and nothing is
         *     audited.
         */
        patch: operations["patchSettings"];
        trace?: never;
    };
    "/api/v1/fleets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tenant's fleets, with exact counts.
         * @description Lists fleets that have an agent, or a memory that is not deleted. Below trust 2 only the caller's own.
         */
        get: operations["listFleets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/fleets/{fleet_id}": {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description Its `/` raw or as `%2F`. */
                fleet_id: components["schemas"]["Name"];
            };
            cookie?: never;
        };
        /**
         * Read a fleet; another than the caller's needs trust 2.
         * @description Needs trust 1, and trust 2 for a fleet other than the caller's (403 below). Returns how many agents the fleet has and how many memories were written in it. A fleet that has neither is 404.
         */
        get: operations["getFleet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/lifecycle/fanout/forge-distill": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin a run of the Forge for each tenant that opted in, or for one of them.
         * @description Restricted to the admin credential (403 for others). Stores a run for each tenant whose setting `skills_factory.enabled` is on, and tells the workers. A tenant that has not opted in gets none. A run always runs, whatever ran before it; the runs of one tenant come one after the other. With `dry_run` it does all the work, is recorded, and changes no skill. `failed` counts runs that the queue did not take now: they wait in the database, and workers find them there.
         */
        post: operations["runForge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/lifecycle/fanout/forge-distill": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin a run of the Forge for each tenant that opted in, or for one of them.
         * @description The same operation as `POST /api/v1/admin/lifecycle/fanout/forge-distill`.
         */
        post: operations["fanOutForge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/forge/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List runs of the Forge, newest first; kept for 90 days.
         * @description Needs trust 3. Shows each run with its state and what came of it in numbers; the run itself names its parts and candidates.
         */
        get: operations["listForgeRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/forge/runs/{run_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a run of the Forge: what it read, what it proposed, and why it held the rest.
         * @description Needs trust 3. `parts` are the tenant's fleets, and one without a fleet for what the whole tenant sees. Up to 500 candidates of each outcome are listed. A run names no memory.
         */
        get: operations["getForgeRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List keys, without their text.
         * @description Restricted to the admin credential (403 for others). Shows keys of all tenants, or of `tenant_id`, revoked and expired ones included: what each is bound to, its trust level, label and times.
         */
        get: operations["listKeys"];
        put?: never;
        /**
         * Create a key; its text is shown once.
         * @description Restricted to the admin credential (403 for others). A tenant exists from its first key on, an agent from its first key at the latest. An agent key takes trust and fleet from its agent's row (trust 1 for a new agent), a tenant key has its own (trust 2 by default). `api_key` is in this answer and nowhere else: the service keeps only its hash. Asking for another trust or fleet than an existing agent has is 409, as is a key for a deleted agent.
         */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a key; every process refuses it within a second.
         * @description Restricted to the admin credential (403 for others). The key stays in the list with `revoked_at`; revoking it again changes nothing. A key that is unknown, or of another tenant than `tenant_id`, is 404.
         */
        delete: operations["deleteKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/indexing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the state of indexing.
         * @description Restricted to the admin credential (403 for others). Says how many changes still have to reach the search index and how old the oldest is, how many failed for good, and whether the search engine and the embedding model are available. Recall finds memories that are not in the index yet all the same. This answers while the search engine is unavailable, too.
         */
        get: operations["getIndexing"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/indexing/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enqueue failed rows again.
         * @description Restricted to the admin credential (403 for others). A row that failed 8 times is not retried any more; this enqueues such rows of all tenants, or of `tenant_id`, again. Use it once the cause is gone.
         */
        post: operations["retryIndexing"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/erasures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Erase memories for good, everywhere, with a receipt; or preview it.
         * @description Names exactly one of `agent_id` (all of an agent's memories, and that it wrote or received any keystone), `subject_entity_id` (all about an entity, as subject or
         *     linked) and `memory_ids`. Deleted memories are erased too, and what changes have left behind of the tenant's texts.
         *     Of an entity, texts that the indexing job has not read yet are read for its name here, and what a language model is still to read
         *     is waited for, 30 s at most; then `complete` is false, `pending_count` says how many memories may be about it, and the erasure
         *     goes on when the same is asked for again.
         *     What the Forge made of the memories goes with them: each version of a skill that has words which stand in no memory that is left, from
         *     service, search and the inbox before this is answered. Of an entity, so does whatever the Forge made that has its name, and the service takes the
         *     name out of what it has recorded: answers kept for repeated requests, recalls, runs, histories, details of the audit.
         *     Other texts stay as callers wrote them: where they name the id of an erased memory, `mentions` says how many, and that
         *     hinders neither `complete` nor `clean`, since an id tells nothing of the memory. Where one has the name of the erased entity, `complete` is
         *     false and `remaining` names the place; the entity stays until the same is asked for again after that text has gone.
         *     One that was broken off, by a deadline or a crash, goes on when the same is asked for again; its receipt is of all of it.
         *     Its cost grows with the service and not with what is erased: it reads all rows of the tenant for what names a memory, and at the end
         *     vacuums the tables of all tenants, one erasure at a time, until 75 s after it began. Name many memories in one request rather than
         *     one in each of many.
         */
        post: operations["createErasure"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/erasures/{erasure_id}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Verify an erasure: search every place again for what was erased.
         * @description Restricted to the admin credential (403 for others). Reads the database, every index and the queue anew and says what each of them still holds of what was erased; `clean` is true when nothing is left where it should not be. `found` is null for a place that does not answer. An unknown erasure is 404.
         */
        get: operations["verifyErasure"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/reindex": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enqueue every row for indexing again.
         * @description Restricted to the admin credential (403 for others). Enqueues the memories and documents of all tenants, or of `tenant_id`; workers then write them into the serving index again, and requests continue meanwhile. To build a new index beside the old one, or to change the model, start an index build.
         */
        post: operations["reindex"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/enrichment": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the state of enrichment by the language model.
         * @description Restricted to the admin credential (403 for others). Says whether a language model reads new memories, how many wait for it, for all tenants or for `tenant_id`, and how many were read, how much was used and how many failed since midnight (UTC).
         */
        get: operations["getEnrichment"];
        put?: never;
        /**
         * Enqueue memories that no language model has read yet.
         * @description Leaves alone memories that wait already and texts that were read already, so that repeating the request continues where it was interrupted.
         *     Tenants with the setting `enrichment.enabled` off are skipped; naming one is 409.
         */
        post: operations["enrichMemories"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/index-verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compare PostgreSQL with the search index, and enqueue what differs.
         * @description Restricted to the admin credential (403 for others). Compares the rows of all tenants, or of `tenant_id`, with the entries of the serving index, field by field with terms and vectors, and looks for the row of each entry. Rows that change meanwhile are `in_flight` and no difference. Answers after some seconds of work, with `next_cursor` while something is left. With `repair` what differs is enqueued as a change. 503 while the engine is unavailable or its index is being replaced.
         */
        post: operations["verifyIndex"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/index-builds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List index builds, present and past.
         * @description Restricted to the admin credential (403 for others). Shows the serving index, the one that is being built, the one that is kept for switching back, and earlier ones, each with its model, its state and its progress.
         */
        get: operations["listIndexBuilds"];
        put?: never;
        /**
         * Start to build another index beside the one that serves, one build at a time; another model re-embeds everything.
         * @description For the admin credential alone (403 for others). Workers fill the new index in the background while the present one serves and both take new writes; with `auto_switch` it serves as soon as it is complete, else a request switches to it. It goes on where it was after a restart. While another build is waiting, backfilling or ready the answer is 409.
         */
        post: operations["createIndexBuild"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/index-builds/{build_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an index build and its progress.
         * @description Restricted to the admin credential (403 for others). `progress` counts what is written already and what there is to write; `error` says what delays the build or made it fail. An unknown build is 404.
         */
        get: operations["getIndexBuild"];
        put?: never;
        post?: never;
        /**
         * Drop an index that does not serve; it is deleted a few seconds later.
         * @description Restricted to the admin credential (403 for others). Ends a build in progress, or drops one that is ready or kept. The serving index cannot be dropped (409). An unknown build is 404.
         */
        delete: operations["deleteIndexBuild"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/index-builds/{build_id}/switch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Switch to a ready or kept index; the one that served is kept, and this switches back to it too.
         * @description Restricted to the admin credential (403 for others). Takes a build that is `ready` or `kept`; in any other state it is 409. Every process uses the new index within a second, and requests continue meanwhile. To go back, switch to the build that is kept.
         */
        post: operations["switchIndexBuild"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/index-builds/{build_id}/tenants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the progress of a build in each tenant.
         * @description Restricted to the admin credential (403 for others). Says for each tenant, or for `tenant_id`, how many of its memories and documents the build has written. An unknown build is 404.
         */
        get: operations["listIndexBuildTenants"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/tenants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tenants with counts and limits.
         * @description Restricted to the admin credential (403 for others). Shows each tenant, or `tenant_id` alone, with exact counts of its agents and memories, its quota, its limits per minute and how long it keeps deleted memories.
         */
        get: operations["listTenants"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/tenants/{tenant_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a tenant's limits; absent fields stay, null clears.
         * @description Applies within a second in every process.
         */
        patch: operations["patchTenant"];
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        TenantId: string;
        /** @description An id that callers choose, of an agent, a fleet, a run or a document: 1–200 letters, digits and marks of any script, and `. _ - : @ | # + = ~ /`. It begins with a letter or digit, does not end with `/`, and has no segment `.` or `..`. Ids are kept in Unicode's form NFC, and another form of one names the same. In a path, a query and `X-Agent-ID` it is percent-encoded. */
        Id: string;
        /** @description An id that callers choose, of an agent, a fleet, a run or a document: 1–200 letters, digits and marks of any script, and `. _ - : @ | # + = ~ /`. It begins with a letter or digit, does not end with `/`, and has no segment `.` or `..`. Ids are kept in Unicode's form NFC, and another form of one names the same. In a path, a query and `X-Agent-ID` it is percent-encoded. */
        NullableId: string | null;
        /** @description An id of an agent or a fleet that exists. Earlier versions took a leading `_` too. */
        Name: string;
        /** @description A run's `Id`, or what an earlier version took as one. */
        RunId: string;
        EntityType: string;
        /** @description Names that begin with `_` are reserved for the service: 422. `skills` is the catalogue of skills. */
        Collection: string;
        /** @description A document's `Id`, or what an earlier version took as one: it neither begins nor ends with `/`, nor holds a segment `.` or `..`. */
        DocId: string;
        /** @description At most 256 KiB as JSON, nested up to 100 levels. Top-level keys have at most 200 characters; up to 256 of them may hold a string, number, boolean or null, and documents are found and ordered by those; they are found by the members of lists too. Numbers that JSON writes with an exponent (1e300) may expand to 262,144 digits together, in `metadata` and `scope` of a memory too. The order of keys is not kept. */
        DocumentData: Record<string, unknown>;
        Scalar: string | number | boolean | null;
        /** @description A value matches an equal value, and a list that contains it. A list matches when it shares a member. */
        FilterValue: string | number | boolean | null | components["schemas"]["Scalar"][];
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
            /** @description What is wrong, for an operator; empty when the status is ok. */
            problems: components["schemas"]["HealthProblem"][];
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
        };
        /** @description Names an entity of the tenant by `entity_id`, or by `name`, which creates it if it is new; exactly one of the two. */
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
             * @description The entity that it states something about, as a triple. A link with the role `subject` may name it instead, beside `predicate` and `object_value`.
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
            metadata?: components["schemas"]["CallersMetadata"];
            entity_links?: components["schemas"]["EntityLinkWrite"][];
            /**
             * Format: date-time
             * @description In the future.
             */
            expires_at?: string | null;
            /** Format: date-time */
            ts_valid_start?: string | null;
            /**
             * Format: date-time
             * @description After `ts_valid_start`.
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
             * @description Moves `weight` by +0.10, −0.15 or +0.03, within 0.05 to 1.
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
            /** @description `scope_agent` memories, which stay: nobody but their author ever sees them. */
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
            /** @description Given with the scope `fleet` only. */
            fleet_id?: string | null;
            /** @description The agent that the rule is for; given with the scope `agent` only. */
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
            /** @description Whether the agent would get this very list now. */
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
            /** @description Whether this agent would get this very list now. */
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
                kind: "memory" | "agent" | "document" | "settings" | "keystone" | "key" | "tenant" | "erasure" | "skill";
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
        AuditAction: "memory.created" | "memory.updated" | "memory.enriched" | "memory.status_changed" | "memory.deleted" | "memory.purged" | "memory.erased" | "memory.feedback" | "memory.redistributed" | "agent.registered" | "document.created" | "document.updated" | "document.deleted" | "agent.updated" | "agent.deleted" | "key.created" | "key.revoked" | "tenant.updated" | "settings.updated" | "erasure.begun" | "erasure.finished" | "keystone.created" | "keystone.updated" | "keystone.deleted" | "skill.written" | "skill.status_changed" | "skill.deferred" | "skill.outcome" | "skill.deleted";
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
            system_metadata: components["schemas"]["DocumentMetadata"];
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        DocumentMetadata: {
            /** @description Personal data and secrets in `doc_id` and in the strings, numbers and keys of `data`, by kind and number; where the tenant's policy is `mask`, `[email]` and the like replace those in strings and numbers. */
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
            /** @description A fleet other than the caller's needs trust 2. By default the fleet of the request, else of the document, else (for a new one) of the caller. */
            fleet_id?: string | null;
            doc_id?: components["schemas"]["Id"];
            data: components["schemas"]["DocumentData"];
        };
        DocumentWrite: components["schemas"]["DocumentFields"] & {
            tenant_id: components["schemas"]["TenantId"];
            /** @description The acting agent, for a tenant key. */
            agent_id?: string | null;
            collection: components["schemas"]["Collection"];
        };
        DocumentBulkItem: WithRequired<components["schemas"]["DocumentFields"], "doc_id">;
        DocumentBulkWrite: {
            tenant_id: components["schemas"]["TenantId"];
            agent_id?: components["schemas"]["NullableId"];
            fleet_id?: components["schemas"]["NullableId"];
            collection: components["schemas"]["Collection"];
            /** @description Each a `DocumentBulkItem`, checked on its own. */
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
            /**
             * @description Sorts by `created_at`, `updated_at`, `doc_id`, or a top-level key: null, then false, true, numbers, and strings by code points, of which the first 128 count. Documents that lack the key, or have a list or an object there, come last, by their creation.
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
            /** @description 1–5,000 characters after trimming, not of punctuation alone. Of more than 64 distinct words without stop words, the 64 longest are looked for; the meaning is that of the whole text. */
            query: string;
            collection?: components["schemas"]["Collection"];
            /** @description Only documents of this fleet and of no fleet. It is a filter and needs no more trust. */
            fleet_id?: components["schemas"]["Name"];
            /** @description Top-level keys with the values that they must have, as in a query. */
            where?: {
                [key: string]: components["schemas"]["FilterValue"];
            };
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
            /** @description What was missing: `search` (the last changed documents were searched instead), else `vector`, `keyword` or `pending`: documents that wait to be indexed, or large ones whose text waits to be analysed; the same search gets further the next time. */
            degraded: string | null;
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
            /** @description Each item is checked against `BulkItem` on its own; one that fails becomes an `error` result. An item that names an agent or a fleet refuses the request. */
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
        };
        /** @description A supersession that the memory took part in, as the older one or the newer one; on the answer of a write, what it superseded. */
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
            metadata: components["schemas"]["JsonObject"];
            system_metadata: components["schemas"]["SystemMetadata"];
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
            expires_at: components["schemas"]["NullableTimestamp"];
            entity_links: components["schemas"]["EntityLink"][];
            /** @description Only in the answer of a recall: the cosine of query and memory, or the share of the query's words, weighted by rarity, that the memory holds, if that is more. 0 to 1, comparable between queries; results are ordered by `score`. */
            similarity: number | null;
            /** @description Only in the answer of a recall: orders its results. A product of `score_parts` without an upper limit, not comparable between queries. */
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
             * @description The older memory that says the same in nearly the same words, of the same visibility and, where that asks for one, the same fleet or author; found when the memory is indexed. Texts that differ in case, indentation and punctuation alone (`-d` and `-D` too) are near duplicates; texts that differ in a number, a negation, an operator, a name, a day or the order of their words never are. Shown while the caller may see that memory and neither text has changed since.
             */
            near_duplicate_of?: string;
            /** @description The category that a language model assigned to the memory. */
            tags?: string[];
            enrichment?: components["schemas"]["EnrichmentRecord"];
            /** @description Fields that came from a memory that has been erased since, and that stay. */
            derived_from_erased?: {
                /** Format: uuid */
                erasure_id: string;
                fields: "status"[];
            };
            /** @description Personal data and secrets that a write contained, by kind and number, in all and by field, the keys of `metadata` and `scope` included; the data itself is never shown. Where the tenant's policy is `mask`, `[email]` and the like replace them, and links to entities with such a name are left out. */
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
        /** @description What a language model derived from the text, where one is configured; absent before, and once the text has changed. It fills in only what callers left empty, which `inferred` names: such a value is removed when the text changes, a caller's title included, and a caller's value replaces it. None of it changes `version`. */
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
        RecallRequest: {
            tenant_id: components["schemas"]["TenantId"];
            /** @description 1–5,000 characters after trimming, not of punctuation alone. Of more than 64 distinct words without stop words, the 64 longest are looked for; the meaning is that of the whole text. */
            query: string;
            /** @default 10 */
            top_k?: number;
            fleet_ids?: components["schemas"]["Name"][];
            filter_agent_id?: components["schemas"]["Name"];
            memory_types?: components["schemas"]["MemoryType"][];
            statuses?: ("active" | "pending" | "confirmed" | "cancelled" | "outdated" | "conflicted" | "archived")[];
            run_id?: components["schemas"]["RunId"];
            /**
             * Format: date-time
             * @description Exclusive.
             */
            created_after?: string;
            /**
             * Format: date-time
             * @description Exclusive.
             */
            created_before?: string;
            /** Format: date-time */
            valid_at?: string;
            /** @description Top-level keys of `metadata` with the values that they must have, combined with AND. A value matches an equal value, and a list that contains it; a list matches when it shares a member. A value of another type is not equal, and a missing key is not null. What cannot match is 422: an object, an empty list, a list within a list, and what is longer than `metadata` can be. */
            metadata_filter?: {
                [key: string]: components["schemas"]["FilterValue"];
            };
            /** @description Least `similarity` of a result; `score`, which orders results, is not compared. */
            min_score?: number;
            /**
             * @description Needs a language model, and the setting `summary.enabled`; without them `summary` is null.
             * @default false
             */
            include_summary?: boolean;
            /** @default false */
            explain?: boolean;
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
            summary: components["schemas"]["RecallSummary"] | null;
            /** @description Milliseconds, without those of the summary. */
            recall_ms: number;
            degraded: string | null;
        };
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
        };
        RecallRecordPage: {
            items: components["schemas"]["RecallRecord"][];
            next_cursor: string | null;
        };
        /** @enum {string} */
        Leg: "vector" | "keyword" | "entity" | "hop" | "pending" | "context" | "recent";
        /** @description A summary of what the memories of this answer say about the query, written by a language model from them alone. Null when it was not asked for, when there is no language model or it fails or is late, and when no memory of this answer supports it. */
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
                kind: "soft_coverage" | "informativeness" | "run" | "date" | "time" | "meaning" | "author" | "coverage" | "entity" | "hop";
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
            /** @description The relevance that the second stage gives the memory, and its position before and after; absent when the second stage did not read it. */
            second_stage?: {
                relevance: number;
                from: number;
                to: number;
            };
        };
        /** @description A memory record; with `explain`, also why it was returned. */
        RecalledMemory: components["schemas"]["MemoryRecordFields"] & {
            /** @description The number of other memories that were found with the same text (as duplicates have it, by other authors or in other fleets), and left out; absent if none. */
            folded?: number;
            explanation?: components["schemas"]["Explanation"];
        };
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
            /** @description Visible memories linked to it. */
            memory_count: number;
            /** @description When the earliest visible memory linked to it was written. */
            created_at: components["schemas"]["Timestamp"];
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
            /** @description All that the agent has written, in whichever fleet, except deleted memories. Null for another agent below trust 2. */
            memory_count: number | null;
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
                 * @description What happens to personal data and secrets in a write: `flag` reports them in `system_metadata.pii`, `mask` also replaces them with `[email]` and the like, `refuse` answers 422. Texts are checked as a person reads them, whatever their spaces, dashes, digits and invisible characters. Numbers count as texts. Names (keys within `metadata`, `scope` and a document's `data`, its `doc_id`, a `run_id`) are checked as written and percent-decoded, for e-mail addresses, secrets and IBANs; they cannot be masked, since another name would be another thing, so `mask` answers 422 too where they contain any.
                 * @default flag
                 * @enum {string}
                 */
                pii_policy: "flag" | "mask" | "refuse";
                /**
                 * @description Predicates of which a subject has one value at a time: a memory that states another value contradicts it. Compared in snake_case; a `*` at the end matches anything.
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
                 * @description Days after which a memory of a weight below 0.3 that nobody has recalled or changed is archived; 0 for never.
                 * @default 90
                 */
                archive_after_days: number;
            };
            recall: {
                /**
                 * @description The value that `freshness`, a factor of each score, approaches as a memory ages; it begins at 1 and halves its distance to the floor with each half-life of the type. At 1 age has no effect.
                 * @default 0.94
                 */
                freshness_floor: number;
            };
            enrichment: {
                /**
                 * @description Whether a language model reads the tenant's memories after they are written, where the service has one. Memories written while this is off are not read later by themselves; an operator may enqueue them.
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
                 * @description The master switch; without it no gating, Forge or inbox applies, and a skill is active as soon as its scan is clean.
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
                 * @description How long a rejected skill is not proposed again.
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
                     * @description Days of which the Forge reads memories, and threshold of the freshness gate.
                     * @default 14
                     */
                    freshness_window_days: number;
                    /**
                     * @description Candidates that one run writes at most.
                     * @default 20
                     */
                    max_writes_per_run: number;
                    /**
                     * @description Minutes of work of one run, without what it waits for other tenants; fleets that it has not got to then come first next time. The service may allow less.
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
        /**
         * @description `candidate`: made by the Forge, not scanned yet or held by a gate. `staged`: waits for a review. `active`: served to agents. `rejected`: refused
         *     by a reviewer. `quarantined`: refused by the scan, or set aside by a reviewer. `stale`: a skill of
         *     the Forge without fresh evidence. `deprecated`: replaced or retired.
         * @enum {string}
         */
        SkillStatus: "candidate" | "staged" | "active" | "rejected" | "quarantined" | "stale" | "deprecated";
        /** @enum {string} */
        SkillSource: "agent" | "manual" | "forge" | "imported";
        /** @description The verdict of the scan. Counts are null until there is one; `failed` means that no scan came to an end. */
        SkillScan: {
            /** @enum {string} */
            state: "pending" | "clean" | "quarantined" | "failed";
            scanned_at: components["schemas"]["NullableTimestamp"];
            /** @description One is enough to quarantine the skill. */
            critical: number | null;
            warn: number | null;
            info: number | null;
            findings: components["schemas"]["SkillFinding"][];
        };
        SkillFinding: {
            code: string;
            /** @enum {string} */
            severity: "critical" | "warn" | "info";
            /** @description Says what was found and in which line; never repeats a secret. */
            message: string;
            /** @description Where, such as `content` or `tags[2]`. */
            field: string;
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
            /** @description Credentials that wrote what these agents noted; of both the smaller number decides. */
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
            /** @description The searched sentence, which says when to use the skill. */
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
            /** @description Results of the gates; empty before the scan, and for what the Forge has not made. */
            gates: components["schemas"]["SkillGate"][];
            origin: components["schemas"]["SkillOrigin"] | null;
            /** @description What the Forge saw: figures of runs and agents, and the steps in the words of the memories. */
            evidence: components["schemas"]["NullableJsonObject"];
            /** @description Ids of the memories that its steps are taken from. */
            cites: string[];
            content_hash: components["schemas"]["ContentHash"];
            /** @description Names the work, whatever its wording. */
            fingerprint: string;
            target: components["schemas"]["SkillTarget"] | null;
            author_agent_id: string | null;
            /** @description Since when it is at the end of the inbox. */
            deferred_at: components["schemas"]["NullableTimestamp"];
            /** @description When this version was written. */
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        InboxCard: components["schemas"]["SkillCard"];
        InboxPage: {
            items: components["schemas"]["InboxCard"][];
            /** @description Items of this page. */
            count: number;
            /** @description All skills of this status and fleet, also beyond `inbox_max_pending`. */
            total: number;
            next_cursor: string | null;
        };
        InboxSkill: WithRequired<components["schemas"]["SkillCard"], "content"> & {
            /** @description The version that is served meanwhile; null when there is none. */
            active: {
                version: number;
                content_hash: components["schemas"]["ContentHash"];
            } | null;
            /** @description Unified lines from the active version to this one, over the texts of both; empty when they are equal, null when no version is active. */
            diff: string | null;
            /** @description The `doc_id` of each other skill that serves this very content, up to 100. No review of this one takes them out of service; retiring does. */
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
        /** @description The `content_hash` that the reviewer saw; 409 when it is not the version's any more, and for approve and edit without `version` also when another name, summary, domain, goal or tags were written under it. */
        ReviewedHash: string;
        /** @description The `version` that the reviewer saw; 409 when another waits by now. It is the whole of what was seen; `content_hash` covers description and content. */
        ReviewedVersion: number;
        /** @description Kept in the history. */
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
            /** @description How long nothing like it is accepted; `skills_factory.rejection_cooloff_days` if absent. */
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
        SkillRollback: {
            tenant_id?: components["schemas"]["TenantId"];
            version: number;
            /** @description That of the version to go back to. */
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
            /** @description Of all pairs of `doc_id` and `content_hash`, as they were when the walk began. */
            etag: string;
        };
        InstallableSkill: {
            doc_id: string;
            /** @description The slug without a prefix. */
            slug: string;
            name: string;
            description: string;
            summary: string | null;
            /** @description Markdown. Absent when `known` has the content hash. */
            content?: string;
            domain: string;
            /** @enum {string} */
            kind: "create" | "update";
            source: components["schemas"]["SkillSource"];
            tags: string[];
            version: number;
            content_hash: components["schemas"]["ContentHash"];
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
                id: string;
                dimensions: number;
                available: boolean;
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
        /** @description Other rows in which a caller wrote an id of what was erased, or the name of the erased entity. They stay. */
        ErasureMentions: number;
        /**
         * @description The places that keep `complete` and `clean` from being true: they hold a trace, have the name of the erased entity in a text that callers wrote, or
         *     do not answer. Change or delete these texts, then ask for the same erasure again.
         */
        ErasureRemaining: {
            place: string;
            /** @description Rows; null while the place does not answer. */
            count: number | null;
        }[];
        /** @description Memories that may be about the entity but are not linked to it yet: a language model is still to read them and they contain the name, or they were not read in time. 0 for whatever is not selected by an entity. */
        ErasurePendingCount: number;
        ErasureReceipt: {
            /** Format: uuid */
            erasure_id: string;
            tenant_id: string;
            at: components["schemas"]["Timestamp"];
            memory_count: number;
            /** @description Skills that cited what this request erased and have no words of it: they wait for a review; an active one stays served meanwhile. */
            reviewed_skill_count: number;
            /** @description Skills of which the served or waiting version had words of what was erased, or cited nothing else: it was removed before this answer, and the Forge makes the skill anew from what is left. */
            withdrawn_skill_count: number;
            /** @description Memories that stay though their status comes from an erased one: each says so in `system_metadata.derived_from_erased`. */
            derived_count: number;
            pending_count: components["schemas"]["ErasurePendingCount"];
            places: components["schemas"]["ErasurePlace"][];
            remaining: components["schemas"]["ErasureRemaining"];
            /** @description Tables whose dead rows were removed. A row that an open transaction still sees goes later. */
            vacuumed: string[];
            /** @description Tables that autovacuum is left with: they are not the login's, took too long, or another erasure had them vacuumed for as long. */
            not_vacuumed: string[];
            /** @description What no erasure reaches and an operator has to see to. */
            outside: string[];
            /** @description False while a place is away or still holds something: verify it later. False too while `pending_count` is not 0. */
            complete: boolean;
            /** @description Of the erased ids, sorted, and the receipt without this field. */
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
            /** @description Number of rows and of entries of each tenant and corpus that are compared, chosen at random; all without it. */
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
             * @description A row without an entry, an entry that is not what its row makes, or an entry of no live row of the tenant.
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
             * @description A run of which every part that it got to, or every candidate, failed has failed. Between two of its turns, while other tenants have theirs, it is queued.
             * @enum {string}
             */
            state: "queued" | "running" | "succeeded" | "failed";
            /** @enum {string} */
            trigger: "schedule" | "manual";
            /**
             * Format: date-time
             * @description The time that a scheduled run was due at.
             */
            slot: string | null;
            dry_run: boolean;
            /** Format: date-time */
            requested_at: string;
            /** Format: date-time */
            started_at: string | null;
            /** Format: date-time */
            finished_at: string | null;
            /** @description Times that a worker has begun it; it goes on with another worker when one dies. */
            attempts: number;
            progress: components["schemas"]["ForgeRunProgress"];
            /** @description Why it failed. */
            error: string | null;
            /** @description Traces that were read: the memories of one agent in one run each. */
            traces: number;
            clusters: number;
            outcomes: components["schemas"]["ForgeRunOutcomes"];
            /** @description Candidates beyond the 500 of an outcome that are listed. */
            unlisted: number;
            model: components["schemas"]["ForgeRunModel"];
        };
        /** @description Where a running one is; null otherwise. */
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
            /** @description Rejected not long ago, or another revision waits. */
            held: number;
            /** @description Beyond `forge.max_writes_per_run`; these come first next time. */
            deferred: number;
            failed: number;
        };
        /** @description What the language model was asked for; null without one. */
        ForgeRunModel: {
            model: string;
            calls: number;
            failed: number;
            input_tokens: number;
            output_tokens: number;
            /** @description Why it was not asked any more. */
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
             * @description `left`: the time of the run was used up, or the run failed before it; it comes first next time.
             * @enum {string}
             */
            state: "succeeded" | "failed" | "left";
            error: string | null;
            traces: number;
            memories: number;
            /** @description What the window also holds, and was more than a run takes: the oldest traces, and those of more than 1,000 memories. */
            left_out: {
                traces: number;
                memories: number;
            };
            /** @description False where there were too many memories to compare their vectors too. */
            vectors: boolean;
            /** @description How the traces ended. */
            outcomes: {
                success: number;
                failure: number;
                unknown: number;
            };
            clusters: number;
            /** @description Clusters of which no skill came. */
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
            /** @description Why the words of the model were not taken, or which of them were dropped. */
            wording_note: string | null;
        };
        ForgeRunPage: {
            items: components["schemas"]["ForgeRunSummary"][];
            next_cursor: string | null;
        };
        IndexBuildRequest: {
            /** @description `built-in`, `local:NAME`, or a model of the embeddings endpoint; by default the one that serves. */
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
            /** @description The progress of the backfill, and its final state once it is complete; null for the index that the database began with and for one that was dropped. */
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
            /** @description When it was found to be not whole; `error` says why. The place of the serving one is taken by another by itself; no other is replaced. */
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
            /** @description Messages of `/mcp`; what they call counts in its own class too. */
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
        /** @description Known but not permitted; where trust is too low, `required_trust_level` and `caller_trust_level` are given. */
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
        /** @description A limiter refused the request. With `X-RateLimit-*` it was the application limiter, whose message names the limit, or the tenant's request queue is full (`X-RateLimit-Remaining` is above 0 then); without, the gateway limiter. */
        RateLimited: {
            headers: {
                /** @description Seconds. */
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
        /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
        ActingAgent: components["schemas"]["Name"];
        /** @description 1–255 visible ASCII characters, else 400; the answer and a digest of the key are kept for 24 hours. */
        IdempotencyKey: string;
        /** @description The `ETag` of the version to change, a list of them, or `*` for any. Another version is 409 with `details.current_version`, and anything else is 400. */
        IfMatch: string;
        /** @description `ETag`s of what is known, or `*`; weak tags match too. Anything else in the list matches nothing. */
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
        /** @description The `doc_id`, with its prefix; its `/` raw or as `%2F`. */
        SkillSlug: components["schemas"]["DocId"];
        IncludeContent: boolean;
        MemoryId: string;
        AgentFilter: components["schemas"]["Name"];
        /** @description Another fleet than the caller's needs trust 2. */
        FleetFilter: components["schemas"]["Name"];
        MemoryTypeFilter: components["schemas"]["MemoryType"];
        StatusFilter: components["schemas"]["MemoryStatus"];
        IncludeDeleted: boolean;
        /** @description `next_cursor` of the page before; bound to the tenant and the filters. */
        Cursor: string;
        Limit: number;
        /** @description Only documents of this fleet and of no fleet. It is a filter and needs no more trust. */
        DocumentFleet: components["schemas"]["Name"];
    };
    requestBodies: never;
    headers: {
        /** @description A strong entity tag of this version of the record: opaque, to be sent back unchanged. */
        ETag: string;
        /** @description A strong entity tag of the whole list. */
        SetETag: string;
        /** @description A weak entity tag of the contract, the same for its compressed form. */
        ContractETag: string;
        /** @description How a key is sent beside `X-API-Key`. */
        WwwAuthenticate: string;
        /** @description Requests of this class that the key may make in each minute; sent by operations whose `x-rate-limit` is a class, once the key is known. */
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
export type $defs = Record<string, never>;
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
                /** @description `ETag`s of what is known, or `*`; weak tags match too. Anything else in the list matches nothing. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
                /** @description Exclusive. */
                created_after?: string;
                /** @description Exclusive. */
                created_before?: string;
                include_deleted?: components["parameters"]["IncludeDeleted"];
                sort?: "created_at" | "weight" | "recall_count";
                order?: "asc" | "desc";
                /** @description `next_cursor` of the page before; bound to the tenant and the filters. */
                cursor?: components["parameters"]["Cursor"];
                limit?: components["parameters"]["Limit"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
                /** @description Counts agent (own, trust 1), fleet (own fleet trust 1, another trust 2) or all (trust 2). Without it, all that the caller may see. */
                scope?: "agent" | "fleet" | "all";
                memory_type?: components["parameters"]["MemoryTypeFilter"];
                status?: components["parameters"]["StatusFilter"];
                include_deleted?: components["parameters"]["IncludeDeleted"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
    getMemory: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
                include_deleted?: components["parameters"]["IncludeDeleted"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
    rateMemory: {
        parameters: {
            query?: never;
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
    redistributeMemories: {
        parameters: {
            query?: never;
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
                /** @description `ETag`s of what is known, or `*`; weak tags match too. Anything else in the list matches nothing. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
                /** @description Exclusive. */
                after?: string;
                /** @description Exclusive. */
                before?: string;
                /** @description `next_cursor` of the page before; bound to the tenant and the filters. */
                cursor?: components["parameters"]["Cursor"];
                limit?: components["parameters"]["Limit"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
                /** @description Exclusive. */
                after?: string;
                /** @description Exclusive. */
                before?: string;
                /** @description `next_cursor` of the page before; bound to the tenant and the filters. */
                cursor?: components["parameters"]["Cursor"];
                limit?: components["parameters"]["Limit"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
    getRecall: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
    listDocuments: {
        parameters: {
            query: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
                collection: components["schemas"]["Collection"];
                /** @description Only documents of this fleet and of no fleet. It is a filter and needs no more trust. */
                fleet_id?: components["parameters"]["DocumentFleet"];
                /** @description Only documents after this `doc_id`, by code points. */
                after?: string;
                /** @description `next_cursor` of the page before; bound to the tenant and the filters. */
                cursor?: components["parameters"]["Cursor"];
                limit?: components["parameters"]["Limit"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description The `doc_id`, with its prefix; its `/` raw or as `%2F`. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description The `doc_id`, with its prefix; its `/` raw or as `%2F`. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description The `doc_id`, with its prefix; its `/` raw or as `%2F`. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description The `doc_id`, with its prefix; its `/` raw or as `%2F`. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description The `doc_id`, with its prefix; its `/` raw or as `%2F`. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description The `doc_id`, with its prefix; its `/` raw or as `%2F`. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description The `doc_id`, with its prefix; its `/` raw or as `%2F`. */
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
    retireSkill: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description The `doc_id`, with its prefix; its `/` raw or as `%2F`. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description The `doc_id`, with its prefix; its `/` raw or as `%2F`. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description The `doc_id`, with its prefix; its `/` raw or as `%2F`. */
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
    reportSkillOutcome: {
        parameters: {
            query?: {
                /** @description Must agree with the credential; the admin credential must give it on tenant routes. */
                tenant_id?: components["parameters"]["TenantId"];
            };
            header?: {
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description The `doc_id`, with its prefix; its `/` raw or as `%2F`. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description Its `/` raw or as `%2F`. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description Its `/` raw or as `%2F`. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description Its `/` raw or as `%2F`. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description Its `/` raw or as `%2F`. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
                "X-Agent-ID"?: components["parameters"]["ActingAgent"];
            };
            path: {
                /** @description Its `/` raw or as `%2F`. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
                /** @description The acting agent; with an agent key it must be the bound one. What is not ASCII is percent-encoded, or sent as UTF-8. */
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
