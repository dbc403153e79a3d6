"""The names are those of the conventions."""

from __future__ import annotations

from opentelemetry.semconv._incubating.attributes import error_attributes, gen_ai_attributes
from opentelemetry.semconv._incubating.metrics import gen_ai_metrics
from opentelemetry.semconv.schemas import Schemas

from handiwork.backends.traces import conventions


def test_every_name_that_we_say_is_theirs_exists():
    known = {str(v) for module in (gen_ai_attributes, error_attributes, gen_ai_metrics) for v in vars(module).values()}
    ours = {v for v in vars(conventions).values() if isinstance(v, str) and v.startswith(("gen_ai.", "error."))}
    assert len(ours) > 15 and not ours - known


def test_the_version_is_one_of_theirs():
    assert conventions.SCHEMA_URL in {schema.value for schema in Schemas}
