from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from handiwork.backends.models.openai import OpenAIModel
from handiwork.backends.models.table import Place, open_model
from handiwork.core.errors import HandiworkError, ModelUnavailableError, UnknownNameError

A_KEY = "".join(("k", "e", "y", "1"))


def endpoint_of(spec: str, base_url: str = "", **env: str) -> tuple[str, str, str]:
    model = open_model(spec, Place(Path("nowhere"), env, base_url))
    assert isinstance(model, OpenAIModel)
    end = model.endpoint
    return end.base_url, end.model, end.api_key


def fault_of(spec: str, **env: str) -> HandiworkError:
    with pytest.raises(HandiworkError) as caught:
        open_model(spec, Place(Path("nowhere"), env))
    return caught.value


def test_the_kinds_of_endpoints() -> None:
    assert endpoint_of("openai/gpt-x", OPENAI_API_KEY=A_KEY) == ("https://api.openai.com/v1", "gpt-x", A_KEY)
    assert endpoint_of("openrouter/a/b", OPENROUTER_API_KEY=A_KEY) == ("https://openrouter.ai/api/v1", "a/b", A_KEY)
    assert endpoint_of("ollama/qwen3:8b") == ("http://127.0.0.1:11434/v1", "qwen3:8b", "")
    assert endpoint_of("http://127.0.0.1:1/v1#m") == ("http://127.0.0.1:1/v1", "m", "")
    assert endpoint_of("http://127.0.0.1:1/v1") == ("http://127.0.0.1:1/v1", "default", "")


def test_a_base_url_takes_any_name_and_not_a_providers_key() -> None:
    assert endpoint_of("Qwen/Q3", "http://h/v1", OPENAI_API_KEY=A_KEY) == ("http://h/v1", "Qwen/Q3", "")
    assert endpoint_of("openai/x", "http://h/v1", OPENAI_API_KEY=A_KEY) == ("http://h/v1", "x", "")
    assert endpoint_of("x", HANDIWORK_BASE_URL="http://h/v1", HANDIWORK_API_KEY=A_KEY) == ("http://h/v1", "x", A_KEY)


def test_chosen_goes_before_environment_before_configured() -> None:
    place = Place(Path("nowhere"), {"HANDIWORK_MODEL": "ollama/env"})
    assert open_model("ollama/chosen", place, configured="ollama/set").name == "chosen"
    assert open_model("", place, configured="ollama/set").name == "env"
    assert open_model("", Place(Path("nowhere"), {}), configured="ollama/set").name == "set"


def test_no_model_names_the_commands_that_mend_it(tmp_path: Path) -> None:
    fault = fault_of("")
    assert isinstance(fault, ModelUnavailableError)
    assert fault.exit_code == 3
    assert "handiwork model pull qwen2.5-coder-1.5b" in fault.hint
    assert "handiwork config set model local/qwen2.5-coder-1.5b" in fault.hint
    assert "export HANDIWORK_MODEL=" in fault.hint
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "mine.gguf").touch()
    with pytest.raises(ModelUnavailableError) as caught:
        open_model("", Place(tmp_path, {"OPENAI_API_KEY": A_KEY}))
    assert "config set model local/mine" in caught.value.hint
    assert "openai/NAME (OPENAI_API_KEY is set)" in caught.value.hint
    assert A_KEY not in caught.value.hint


def test_no_model_is_decided_quickly_and_without_heavy_imports() -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom handiwork.backends.models.table import Place, open_model\n"
        "try: open_model('', Place(Path('x'), {}))\nexcept Exception as e: print(e.exit_code)\n"
        "print(sorted({'httpx', 'asyncio', 'ssl'} & set(sys.modules)))"
    )
    begin = time.monotonic()
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    assert ran.stdout.split("\n")[:2] == ["3", "[]"]
    assert time.monotonic() - begin < 2.0


@pytest.mark.parametrize("kind", ["openai", "anthropic", "gemini"])
def test_a_providers_key_goes_to_the_provider_alone(tmp_path: Path, kind: str) -> None:
    env = {"OPENAI_API_KEY": A_KEY, "ANTHROPIC_API_KEY": A_KEY, "GEMINI_API_KEY": A_KEY}
    own = open_model(f"{kind}/m", Place(tmp_path, env))
    assert own.endpoint.api_key == A_KEY and own.endpoint.base_url.startswith("https://")
    other = open_model(f"{kind}/m", Place(tmp_path, env, "http://127.0.0.1:1/v1"))
    assert other.endpoint.api_key == "" and other.endpoint.base_url == "http://127.0.0.1:1/v1"


@pytest.mark.parametrize(
    "spec", ["openai/x", "openrouter/x/y", "anthropic/claude", "gemini/x", "local/qwen2.5-coder-1.5b"]
)
def test_what_is_missing_is_told_with_the_next_step(spec: str) -> None:
    fault = fault_of(spec)
    assert isinstance(fault, ModelUnavailableError)
    assert fault.hint


def test_unknown_kinds_and_names() -> None:
    fault = fault_of("olama/x")
    assert isinstance(fault, UnknownNameError)
    assert "did you mean ollama" in fault.hint
    assert "local/gpt" in fault_of("gpt").hint
    assert "did you mean qwen2.5-coder-1.5b" in fault_of("local/qwen2.5-coder-1.5").hint


def test_a_script_by_path(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text('"hi"\n')
    assert open_model(f"scripted:{tmp_path}/s.jsonl", Place(tmp_path, {})).name == "scripted:s.jsonl"
