"""The names of OpenTelemetry's conventions for generative AI, of one version of them.

They are still in development and change with their versions: this is the one place that says which is
spoken. The spans say it, too, as their schema URL.
"""

from __future__ import annotations

VERSION = "1.41.0"
SCHEMA_URL = f"https://opentelemetry.io/schemas/{VERSION}"

OPERATION = "gen_ai.operation.name"
INVOKE_AGENT, CHAT, EXECUTE_TOOL = "invoke_agent", "chat", "execute_tool"
AGENT = "gen_ai.agent.name"
CONVERSATION = "gen_ai.conversation.id"
PROVIDER = "gen_ai.provider.name"
REQUEST_MODEL, RESPONSE_MODEL = "gen_ai.request.model", "gen_ai.response.model"
MAX_TOKENS = "gen_ai.request.max_tokens"
FINISH_REASONS = "gen_ai.response.finish_reasons"
INPUT_TOKENS, OUTPUT_TOKENS = "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"
CACHED_TOKENS = "gen_ai.usage.cache_read.input_tokens"
CACHE_WRITE_TOKENS = "gen_ai.usage.cache_creation.input_tokens"
REASONING_TOKENS = "gen_ai.usage.reasoning.output_tokens"
TOOL, TOOL_TYPE, CALL_ID = "gen_ai.tool.name", "gen_ai.tool.type", "gen_ai.tool.call.id"
TOKEN_TYPE = "gen_ai.token.type"
ERROR = "error.type"
# Content, which stands in a span only where the person says so.
INPUT, OUTPUT = "gen_ai.input.messages", "gen_ai.output.messages"
ARGUMENTS, RESULT = "gen_ai.tool.call.arguments", "gen_ai.tool.call.result"

# Ours, for what the conventions have no name for.
COST, COST_IS_LEAST = "handiwork.cost.usd", "handiwork.cost.is_least"
ENDING = "handiwork.ending"
STATUS, REFUSED_BY, RUN_MS = "handiwork.tool.status", "handiwork.tool.refused_by", "handiwork.tool.run_ms"
APPROVAL, REASON, ALLOWED = "approval", "handiwork.approval.reason", "handiwork.approval.allowed"

TOKEN_USAGE, DURATION = "gen_ai.client.token.usage", "gen_ai.client.operation.duration"
TOKEN_BOUNDS = tuple(4**n for n in range(14))
DURATION_BOUNDS = tuple(0.01 * 2**n for n in range(14))
