"""The names are those of the conventions, by whatever version of them is installed here and still has them."""

from __future__ import annotations

import pytest
from opentelemetry.semconv.attributes import error_attributes
from opentelemetry.semconv.schemas import Schemas

from handiwork.backends.traces import conventions

gen_ai_attributes = pytest.importorskip("opentelemetry.semconv._incubating.attributes.gen_ai_attributes")
gen_ai_metrics = pytest.importorskip("opentelemetry.semconv._incubating.metrics.gen_ai_metrics")
if "V1_41_0" not in Schemas.__members__:
    pytest.skip("older than the version that is spoken", allow_module_level=True)


def test_every_name_that_we_say_is_theirs_exists():
    known = {str(v) for module in (gen_ai_attributes, error_attributes, gen_ai_metrics) for v in vars(module).values()}
    ours = {v for v in vars(conventions).values() if isinstance(v, str) and v.startswith(("gen_ai.", "error."))}
    assert len(ours) > 15 and not ours - known


def test_the_version_is_one_of_theirs():
    assert conventions.SCHEMA_URL in {schema.value for schema in Schemas}
