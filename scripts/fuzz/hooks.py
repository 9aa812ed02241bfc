"""Hooks of schemathesis around each request: insert existing names, check what every answer must have, and count statuses.

Only allowed values are replaced by other allowed values, so that a request which should be refused still is.
"""

import atexit
import json
import os
import re
import zlib
from collections import Counter

import schemathesis

CALLER = os.environ["FUZZ_CALLER"]
with open(os.environ["FUZZ_KNOWN"]) as file:
    KNOWN = json.load(file)

TENANT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._:@-]{0,99}")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@+-]{0,199}")
KEYSTONE = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}")
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.I)

# Once the key is known, answers of a limited operation contain the quota; these are given before.
BEFORE_THE_QUOTA = {401, 417, 431}
QUOTA = ("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset")

statuses = Counter()


def chance(value, of):
    """Returns the same number for the same value, so that a seed repeats a run."""
    return zlib.crc32(str(value).encode()) % of


def is_whole(pattern, value):
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def exchange(values, name, pattern, pool, of=2):
    """Replaces an allowed value by one of `pool`, except one time in `of`."""
    if pool and name in values and is_whole(pattern, values[name]) and chance(values[name], of) != 0:
        values[name] = pool[chance(values[name], len(pool))]


def keep_callers_in(path):
    """Prevents changes of the limits, keys and agent of the run's own tenant, after which all other requests would be refused.

    schemathesis learns names from answers, so it would reach them.
    """
    if path.get("tenant_id") == KNOWN["tenant"]:
        path["tenant_id"] = KNOWN["otherTenant"]
    if path.get("key_id") in KNOWN["key_id"]:
        path["key_id"] = "nobody"
    if path.get("agent_id") == "ana":
        path["agent_id"] = "zoe"


@schemathesis.hook
def before_call(context, case, kwargs):
    path, query, body = case.path_parameters or {}, case.query or {}, case.body
    for values in (query, body):
        if isinstance(values, dict):
            exchange(values, "tenant_id", TENANT, [KNOWN["tenant"]], of=10)
    if isinstance(body, dict) and CALLER == "agent":
        exchange(body, "agent_id", NAME, ["ana"], of=5)
    keep_callers_in(path)
    for name in ("memory_id", "entity_id", "recall_id", "build_id"):
        exchange(path, name, UUID, KNOWN[name])
    exchange(path, "agent_id", NAME, ["ben", "zoe"])
    exchange(path, "collection", KEYSTONE, ["notes"])
    exchange(path, "doc_id", KEYSTONE, KNOWN["keystone"] if "keystones" in case.path else KNOWN["doc_id"])
    # A cursor is signed: one that is made up is refused, and with it nearly every request for a page.
    for values in (query, body):
        if isinstance(values, dict) and isinstance(values.get("cursor"), str) and 0 < len(values["cursor"]) <= 2000:
            if chance(values["cursor"], 10) != 0:
                del values["cursor"]
    headers = case.headers or {}
    for name in list(headers):
        if name.lower() == "x-agent-id" and is_whole(NAME, headers[name]) and chance(headers[name], 10) != 0:
            # The admin credential acts for no agent.
            if CALLER == "admin":
                del headers[name]
            else:
                headers[name] = "ana"


@schemathesis.hook
def after_call(context, case, response):
    statuses[response.status_code] += 1


@schemathesis.hook
def filter_failure(context, failure, case, response):
    # Where a rule is called as a path of the contract (`coverage`), DELETE is on that path too: `x-shadowed-by-literals`.
    undocumented = getattr(failure, "undocumented_methods", None)
    return not (undocumented == ["DELETE"] and case.path.startswith("/api/v1/keystones/"))


@schemathesis.check
def every_answer(ctx, response, case):
    """Has an id; in the envelope where it is an error; and tells the quota where the contract says that there is one."""
    headers = {name.lower() for name in response.headers}
    assert "x-request-id" in headers, "no X-Request-Id"
    assert response.status_code < 500, f"{response.status_code}"
    assert response.status_code != 429, "a limiter refused it: the run shows nothing"
    if response.status_code >= 400 and response.request.method != "HEAD":
        answer = response.json()
        assert set(answer) == {"error", "detail"}, "not the envelope"
    limiting = case.operation.definition.raw.get("x-rate-limit")
    if (
        limiting in ("writes", "recalls", "bulk", "inbox")
        and response.status_code not in BEFORE_THE_QUOTA | {405}
        and response.request.method == case.operation.method.upper()
    ):
        assert all(name in headers for name in QUOTA), "no X-RateLimit-*"


@atexit.register
def write_counts():
    with open(os.environ["FUZZ_COUNTS"], "w") as file:
        json.dump({str(status): count for status, count in sorted(statuses.items())}, file)
