"""Calls every op of every tool of /mcp with arguments that its exact schema allows, and with arguments that it forbids.

The schemas are those that the endpoint serves. Ends with 1 after printing each call whose answer is not what every
answer of a tool must be: a result with an object that has an integer `_latency_ms`, and the error envelope with a code
of the contract when it is an error. Arguments that are no object are refused by the protocol, and a message that no
tool can take by the endpoint.
"""

import json
import os
import sys

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import GenerationMode

from hooks import KEYSTONE, KNOWN, NAME, TENANT, UUID, exchange, statuses

URL = os.environ["FUZZ_URL"] + "/mcp"
KEYS = json.loads(os.environ["FUZZ_KEYS"])
CODES = json.loads(os.environ["FUZZ_CODES"])
SEED, EXAMPLES = int(sys.argv[1]), int(sys.argv[2])
INVALID_PARAMS = -32602

session = requests.Session()
faults = []


def call(key, method, params):
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    headers = {"X-API-Key": key, "Accept": "application/json, text/event-stream"}
    return session.post(URL, json=message, headers=headers, timeout=100)


def message_of(response):
    """Returns the JSON-RPC message of an answer, which may be the one event of a stream."""
    if response.headers.get("content-type", "").startswith("text/event-stream"):
        # A stream of events is always UTF-8, which requests does not know.
        lines = response.content.decode().splitlines()
        return json.loads(next(line[6:] for line in lines if line.startswith("data: ")))
    return response.json()


def is_error(error):
    return set(error) - {"details"} == {"code", "message"} and error["code"] in CODES


def fault_of(arguments, response):
    """Returns why an answer is not what every answer must be, or None."""
    if response.status_code >= 500 or response.status_code == 429:
        return f"status {response.status_code}"
    if response.status_code >= 400:
        # The endpoint refuses a message that no tool can take, such as one with an integer that would lose digits.
        envelope = response.json().get("error", {}).get("data", {})
        return None if set(envelope) == {"error", "detail"} and is_error(envelope["error"]) else "not the envelope"
    message = message_of(response)
    # The tools take null for no arguments.
    if arguments is not None and not isinstance(arguments, dict):
        refused = message.get("error", {}).get("code") == INVALID_PARAMS
        return None if refused else "arguments that are no object are not refused"
    content = message.get("result", {}).get("structuredContent")
    if not isinstance(content, dict):
        return "no object"
    if type(content.get("_latency_ms")) is not int:
        return "no integer _latency_ms"
    statuses[content.get("_status")] += 1
    if message["result"].get("isError", False) != ("error" in content):
        return "isError without the envelope, or the envelope without isError"
    if "error" in content and not is_error(content["error"]):
        return "not the envelope with a code of the contract"
    return None


# Which rows a tool names by `id`.
ROWS = {"svc_memory": "memory_id", "svc_entity": "entity_id", "svc_recall": "recall_id"}


def with_known_names(tool, arguments):
    """Replaces most of the allowed names by those of existing rows."""
    exchange(arguments, "tenant_id", TENANT, [KNOWN["tenant"]], of=10)
    exchange(arguments, "agent_id", NAME, ["ana"], of=5)
    exchange(arguments, "collection", KEYSTONE, ["notes"])
    exchange(arguments, "doc_id", KEYSTONE, KNOWN["doc_id"] + KNOWN["keystone"])
    if tool in ROWS:
        exchange(arguments, "id", UUID, KNOWN[ROWS[tool]])


def check(key, tool, arguments):
    if isinstance(arguments, dict):
        with_known_names(tool, arguments)
    response = call(key, "tools/call", {"name": tool, "arguments": arguments})
    fault = fault_of(arguments, response)
    if fault is not None:
        faults.append(fault)
        print(f"{tool}: {fault}\n  arguments: {json.dumps(arguments)[:2000]}\n  answer: {response.text[:1000]}")


def contract_of(alternatives):
    """Returns a contract in which each op of a tool is an operation whose body is its arguments, since schemathesis generates bodies."""
    operation = lambda schema: {
        "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}},
        "responses": {"200": {"description": "Answered."}},
    }
    paths = {f"/{tool}/{schema['title']}": {"post": operation(schema)} for tool, schema in alternatives}
    return {"openapi": "3.1.0", "info": {"title": "tools", "version": "1"}, "paths": paths}


def exact_schema_of(tool):
    read = message_of(call(KEYS[0], "resources/read", {"uri": f"cairn://schemas/{tool}"}))
    return json.loads(read["result"]["contents"][0]["text"])


tools = [tool["name"] for tool in message_of(call(KEYS[0], "tools/list", {}))["result"]["tools"]]
alternatives = [(tool, schema) for tool in tools for schema in exact_schema_of(tool)["oneOf"]]
contract = schemathesis.openapi.from_dict(contract_of(alternatives))

for tool, schema in alternatives:
    operation = contract[f"/{tool}/{schema['title']}"]["POST"]
    for key in KEYS:
        for mode in GenerationMode.POSITIVE, GenerationMode.NEGATIVE:

            @seed(SEED)
            @settings(
                max_examples=EXAMPLES,
                database=None,
                deadline=None,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            @given(case=operation.as_strategy(generation_mode=mode))
            def run(case):
                # Bytes stand for a body that is no JSON.
                if not isinstance(case.body, bytes):
                    check(key, tool, case.body)

            run()

print(f"{len(tools)} tools with {len(alternatives)} ops, {sum(statuses.values())} calls with an object, {len(faults)} faults")
sys.exit(1 if faults or len(tools) == 0 else 0)
