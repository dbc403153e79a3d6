"""Any endpoint that speaks OpenAI's chat completions: Ollama, llama.cpp, vLLM, OpenRouter, OpenAI."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from handiwork.core.types import ModelRequest

from .completion import Completion
from .exchange import Endpoint, HttpModel, endpoint_of
from .history import valid_history
from .table import Place


class OpenAIModel(HttpModel):
    """A `Model` behind a chat completions endpoint."""

    def path(self) -> str:
        """What follows the base URL."""
        return "/chat/completions"

    def headers(self) -> Mapping[str, str]:
        """The key, as a bearer's."""
        return {"Authorization": f"Bearer {self.endpoint.api_key}"} if self.endpoint.api_key else {}

    def body(self, request: ModelRequest) -> dict[str, Any]:
        """The request in the provider's form."""
        body: dict[str, Any] = {
            "model": self.endpoint.model,
            "messages": valid_history(request.messages),
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if request.tools:
            body["tools"] = list(request.tools)
        if request.max_tokens is not None:
            body["max_tokens"] = request.max_tokens
        return body

    def reading(self, request: ModelRequest) -> Completion:
        """What takes the reply in."""
        return Completion(request, self.endpoint.where)


def open_openai(name: str, place: Place) -> OpenAIModel:
    """OpenAI itself, or another place that the base URL names."""
    return OpenAIModel(
        endpoint_of(name, place, url="https://api.openai.com/v1", keys=("OPENAI_API_KEY",), provider="openai")
    )


def open_openrouter(name: str, place: Place) -> OpenAIModel:
    """A model behind OpenRouter, whatever the base URL says."""
    key = place.needed_key("OPENROUTER_API_KEY")
    return OpenAIModel(Endpoint("https://openrouter.ai/api/v1", name, key, provider="openrouter"))


def open_ollama(name: str, place: Place) -> OpenAIModel:
    """A model that Ollama serves, on this machine unless the base URL says otherwise."""
    endpoint = Endpoint(place.base_url or "http://127.0.0.1:11434/v1", name, place.key())
    is_here = endpoint.is_loopback and not name.endswith("cloud")  # those of its cloud are asked through it, too
    return OpenAIModel(replace(endpoint, provider="ollama" if is_here else ""))


def open_at_url(name: str, place: Place) -> OpenAIModel:
    """`URL#MODEL`. Only HANDIWORK_API_KEY goes there: the providers' own keys are for the providers."""
    url, _, model = name.partition("#")
    return OpenAIModel(Endpoint(url, model or "default", place.key()))
