"""An OpenAPI document as a toolset, against a real server on loopback."""

from __future__ import annotations

import base64
import json
import logging
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

import pytest

from handiwork.adapters import register_openapi
from handiwork.core.errors import UsageError

PETS = """
openapi: 3.0.3
info: {title: Pets, version: "1"}
servers: [{url: "{scheme}://example.test/api", variables: {scheme: {default: https}}}]
security: [{key: []}]
components:
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Key}
    query: {type: apiKey, in: query, name: token}
    cookie: {type: apiKey, in: cookie, name: session}
    token: {type: http, scheme: bearer}
    login: {type: http, scheme: basic}
    oauth: {type: oauth2, flows: {}}
    odd: {type: http, scheme: digest}
  parameters:
    Limit: {name: limit, in: query, schema: {type: integer, minimum: 0, exclusiveMinimum: true}}
  schemas:
    Pet:
      type: object
      required: [name, id]
      properties:
        id: {type: integer, readOnly: true}
        name: {type: string, nullable: true, example: Rex}
        parent: {$ref: "#/components/schemas/Pet"}
        kind: {type: string, enum: [cat, dog], nullable: true}
paths:
  /pets:
    get:
      operationId: list pets
      tags: [reading]
      summary: List pets.
      parameters:
        - {$ref: "#/components/parameters/Limit"}
        - {name: "filter[kind]", in: query, description: which, schema: {type: string}}
        - {name: tags, in: query, schema: {type: array, items: {type: string}}}
        - {name: ids, in: query, explode: false, schema: {type: array, items: {type: integer}}}
        - {name: deep, in: query, style: deepObject, schema: {type: object}}
        - {name: X-Trace, in: header, schema: {type: string}}
        - {name: Accept, in: header, schema: {type: string}}
        - {name: seen, in: cookie, schema: {type: boolean}}
        - {name: raw, in: query, content: {application/json: {schema: {type: object}}}}
    post:
      operationId: addPet
      requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}
  /pets/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get: {operationId: getPet, security: [{}]}
    delete: {operationId: dropPet, security: [{token: []}]}
    put:
      operationId: changePet
      security: [{login: []}]
      parameters: [{name: id, in: query, schema: {type: integer}}]
      requestBody:
        content: {application/json: {schema: {type: object, properties: {id: {type: integer}, name: {type: string}}}}}
  /form:
    post:
      security: [{query: [], cookie: []}]
      requestBody:
        content: {application/x-www-form-urlencoded: {schema: {type: object, properties: {a: {type: string}, b: {type: array, items: {type: string}}}}}}
  /text:
    post: {operationId: sendText, security: [], requestBody: {required: true, content: {text/plain: {schema: {type: string}}}}}
  /list:
    post: {operationId: sendList, security: [], requestBody: {content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Pet"}}}}}}
  /upload:
    post: {operationId: upload, security: [], requestBody: {content: {multipart/form-data: {schema: {type: object}}}}}
  /odd:
    get: {operationId: oddOne, security: [{odd: []}]}
  /either:
    get: {operationId: either, security: [{odd: []}, {oauth: []}]}
  /moved: {get: {operationId: moved, security: []}}
  /broken: {get: {operationId: broken, security: []}}
  /picture: {get: {operationId: picture, security: []}, head: {operationId: look, security: []}}
  /nothing: {get: {operationId: nothing, security: []}}
  /large: {get: {operationId: large, security: []}}
"""  # noqa: E501


SEEN: list[dict] = []  # what a result shows of it is masked


class Server(BaseHTTPRequestHandler):
    """Tells what it was asked, but for a few paths."""

    def _answer(self):
        size = int(self.headers.get("Content-Length") or 0)
        asked = {
            "method": self.command, "path": self.path, "body": self.rfile.read(size).decode(),
            "headers": {k.lower(): v for k, v in self.headers.items()},
        }  # fmt: skip
        SEEN.append(asked)
        status, kind, data = 200, "application/json", json.dumps(asked).encode()
        match self.path.rpartition("/")[2]:
            case "moved":
                self.send_response(302)
                self.send_header("Location", "http://127.0.0.1:1/elsewhere")
                self.end_headers()
                return
            case "broken":
                status, data = 418, b'{"why": "teapot"}'
            case "picture":
                kind, data = "image/png", b"\x89PNG"
            case "nothing":
                status, data = 204, b""
            case "large":
                kind, data = "text/plain", b"x" * (11 << 20)
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            try:
                self.wfile.write(data)
            except ConnectionError:
                return

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = _answer

    def log_message(self, *_):
        """Nothing."""


@pytest.fixture(scope="module")
def url():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


@pytest.fixture
def pets(registry, url, monkeypatch):
    for name in ("PETS_KEY", "PETS_TOKEN", "PETS_QUERY", "PETS_COOKIE", "PETS_OAUTH"):
        monkeypatch.setenv(name, f"secret-{name.lower()}")
    monkeypatch.setenv("MY_LOGIN", "ann:pass")
    return register_openapi(registry, PETS, toolset="pets", base_url=url, auth={"login": "MY_LOGIN"})


YES = lambda ready, ask: True  # noqa: E731


def asked(result):
    assert not result.is_error, result.content
    assert json.loads(result.content)["method"] == SEEN[-1]["method"]
    return SEEN[-1]


def test_the_names(registry, pets):
    assert len(pets) == 15 and "list_pets_" in pets[0] and "post_form" in pets
    assert not {"upload", "oddOne"} & set(pets) and "either" in pets


def test_what_can_t_be_called_is_told(registry, url, caplog):
    with caplog.at_level(logging.WARNING):
        register_openapi(registry, PETS, toolset="pets", base_url=url)
    assert "upload is left out: its body is multipart/form-data" in caplog.text and "'odd'" in caplog.text


def test_every_value_at_its_place(registry, pets, call):
    names = registry.get(pets[0]).parameters["properties"]
    assert set(names) == {"limit", "filter_kind_", "tags", "ids", "deep", "X-Trace", "seen", "raw"}
    assert (
        names["limit"] == {"type": "integer", "exclusiveMinimum": 0} and names["filter_kind_"]["description"] == "which"
    )
    got = asked(call(pets[0], limit="5", filter_kind_="a&b=c", tags=["x", "y"], ids=[1, 2], deep={"a": 1}, seen=True,
                     raw={"q": [1]}, **{"X-Trace": "t"}))  # fmt: skip
    query = "limit=5&filter%5Bkind%5D=a%26b%3Dc&tags=x&tags=y&ids=1%2C2&deep%5Ba%5D=1&raw=%7B%22q%22%3A+%5B1%5D%7D"
    assert got["path"] == f"/v1/pets?{query}" and got["method"] == "GET"
    assert got["headers"]["x-trace"] == "t" and got["headers"]["x-key"] == "secret-pets_key"
    assert got["headers"]["cookie"] == "seen=true"


def test_names_that_clash_are_told_apart(registry, pets, call):
    assert set(registry.get("changePet").parameters["properties"]) == {"id", "id_query", "id_body", "name"}
    got = asked(call("changePet", YES, id="a", id_query=1, id_body=2, name="Rex"))
    assert got["path"] == "/v1/pets/a?id=1" and json.loads(got["body"]) == {"id": 2, "name": "Rex"}
    assert got["headers"]["authorization"] == "Basic " + base64.b64encode(b"ann:pass").decode()


def test_a_body_goes_among_the_arguments(registry, pets, call):
    parameters = registry.get("addPet").parameters
    assert set(parameters["properties"]) == {"name", "parent", "kind"} and parameters["required"] == ["name"]
    assert parameters["properties"]["name"] == {"type": ["string", "null"], "examples": ["Rex"]}
    assert parameters["properties"]["kind"]["enum"] == ["cat", "dog", None]
    assert (
        parameters["properties"]["parent"] == {"$ref": "#/$defs/Pet"}
        and "id" not in parameters["$defs"]["Pet"]["properties"]
    )
    got = asked(call("addPet", YES, name="Rex", parent={"name": "Old", "parent": {"name": "Older"}}))
    assert json.loads(got["body"])["parent"]["parent"]["name"] == "Older"
    assert got["headers"]["content-type"] == "application/json"


def test_other_bodies(pets, call):
    form = asked(call("post_form", YES, a="1 2", b=["x", "y"]))
    assert form["body"] == "a=1+2&b=x&b=y" and form["path"] == "/v1/form?token=secret-pets_query"
    assert form["headers"]["cookie"] == "session=secret-pets_cookie"
    text = asked(call("sendText", YES, body="hé"))
    assert text["body"] == "hé" and text["headers"]["content-type"] == "text/plain"
    assert json.loads(asked(call("sendList", YES, body=[{"name": "a"}]))["body"]) == [{"name": "a"}]


def test_tokens(pets, call):
    assert asked(call("dropPet", YES, id="1"))["headers"]["authorization"] == "Bearer secret-pets_token"
    assert asked(call("either"))["headers"]["authorization"] == "Bearer secret-pets_oauth"
    assert "x-key" not in asked(call("getPet", id="1"))["headers"]


def test_reads_run_and_the_rest_asks(registry, pets, call):
    assert registry.get("getPet").traits.read_only and registry.get("look").traits.read_only
    for name in ("addPet", "dropPet", "changePet", "sendText"):
        args = {"id": "1"} if name in ("dropPet", "changePet") else {"name": "x"} if name == "addPet" else {"body": "x"}
        result = call(name, **args)
        assert result.status == "refused" and "may not be undone" in result.content


def test_a_tool_without_its_key_is_hidden(registry, pets, monkeypatch):
    assert registry.gate.closed(registry.get("addPet")) is None
    monkeypatch.delenv("PETS_KEY")
    closed = registry.gate.closed(registry.get("addPet"))
    assert closed is not None and "PETS_KEY" in closed.reason
    assert registry.gate.closed(registry.get("getPet")) is None


@pytest.mark.parametrize("value", ["..", ".", ""])
def test_a_value_doesn_t_lead_to_another_path(pets, call, value):
    result = call("getPet", id=value)
    assert result.is_error and "can't be" in result.content


@pytest.mark.parametrize("value", ["../../admin", "a/b", "a?b=c", "a#b", "@evil.test/", "%2e%2e", "{id}", "a b"])
def test_odd_values_stay_in_their_part(pets, call, value):
    path = asked(call("getPet", id=value))["path"]
    assert path.startswith("/v1/pets/") and path.count("/") == 3 and unquote(path[len("/v1/pets/") :]) == value


def test_a_header_is_not_split(pets, call):
    result = call(pets[0], **{"X-Trace": "a\r\nX-Evil: 1"})
    assert result.is_error and "control characters" in result.content


def test_answers(pets, call):
    broken = call("broken")
    said = json.loads(broken.content)
    assert broken.is_error and said["status"] == 418 and said["body"] == {"why": "teapot"}
    moved = call("moved")
    assert moved.is_error and "isn't followed" in moved.content
    assert call("picture").artifacts[0].data == b"\x89PNG" and json.loads(call("nothing").content) == {"status": 204}
    assert call("large").is_error and "more than 10 MB" in call("large").content
    assert call("getPet", id="1").labels[0].integrity == "outside"


def test_a_secret_is_not_told(registry, call, monkeypatch):
    monkeypatch.setenv("PETS_QUERY", "very-secret")
    monkeypatch.setenv("PETS_COOKIE", "very-secret")
    register_openapi(registry, PETS, toolset="pets", base_url="http://127.0.0.1:1")
    result = call("post_form", YES, a="1")
    assert result.is_error and "very-secret" not in result.content and "/form" in result.content


def test_only_some(registry, url):
    assert len(register_openapi(registry, PETS, toolset="p", base_url=url, only=["reading"])) == 1
    assert register_openapi(registry, PETS, toolset="p", base_url=url, only=["getPet"], prefix="a_") == ["a_getPet"]


def test_where_its_server_is(registry):
    register_openapi(registry, PETS, toolset="p", only=["getPet"])
    relative = {"openapi": "3.1.0", "servers": [{"url": "/api"}], "paths": {}}
    with pytest.raises(UsageError, match="no whole URL") as error:
        register_openapi(registry, relative, toolset="p")
    assert "base_url" in error.value.hint
    assert register_openapi(registry, relative, toolset="p", base_url="https://example.test/") == []


@pytest.mark.parametrize(
    ("source", "cause"),
    [
        ({"swagger": "2.0", "paths": {}}, "OpenAPI 2.0"),
        ({"paths": {}}, "no OpenAPI 3"),
        ("{", "neither JSON nor YAML"),
        ("openapi: 3.0.0\npaths: [", "neither JSON nor YAML"),
        ("/nowhere/at-all.yaml", "can't be read"),
        ({"openapi": "3.0.0", "paths": []}, "paths must be a mapping"),
    ],
)
def test_documents_that_can_t_be_read(registry, source, cause):
    with pytest.raises(UsageError, match=cause):
        register_openapi(registry, source, toolset="p", base_url="https://example.test")


def test_odd_parts_stay_out_and_the_rest_works(registry, url, caplog):
    circle = {"a": {"$ref": "#/components/schemas/a"}}
    document = {
        "openapi": "3.1.0", "components": {"schemas": circle},
        "paths": {
            "/circle": {"post": {"requestBody": {"content": {"application/json": {"schema": circle["a"]}}}}},
            "/away": {"get": {"parameters": [{"$ref": "other.yaml#/x"}]}},
            "/gone": {"get": {"parameters": [{"$ref": "#/nowhere"}]}},
            "/odd": {"get": {"parameters": [{"schema": {}}]}},
            "no-slash": {"get": {}},
            "@evil.test/": {"get": {}},
            "/fine/{id}": {"get": {"summary": "Fine."}},
        },
    }  # fmt: skip
    assert register_openapi(registry, document, toolset="p", base_url=url) == ["get_fine__id"]
    assert registry.get("get_fine__id").parameters["required"] == ["id"]
    assert caplog.text.count("is left out") == 6


def test_from_a_file_and_from_json(registry, url, tmp_path):
    path = tmp_path / "pets.yaml"
    path.write_text(PETS)
    assert register_openapi(registry, path, toolset="p", base_url=url, only=["getPet"]) == ["getPet"]
    text = json.dumps({"openapi": "3.1.0", "paths": {"/a": {"get": {"operationId": "readA"}}}})
    assert register_openapi(registry, text, toolset="p", base_url=url) == ["readA"]
