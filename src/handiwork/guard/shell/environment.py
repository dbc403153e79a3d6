"""Variables that change what other programs do, or whom they trust."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from ..places import names
from .marks import shown, without_marks
from .session import Shell

# What stands in these is run by other programs.
_RUN = names(
    "GIT_SSH_COMMAND GIT_SSH GIT_EXTERNAL_DIFF GIT_PAGER PAGER MANPAGER EDITOR VISUAL GIT_EDITOR GIT_SEQUENCE_EDITOR"
    " GIT_ASKPASS SSH_ASKPASS SUDO_ASKPASS LESSOPEN LESSCLOSE PROMPT_COMMAND BROWSER RSYNC_RSH GIT_PROXY_COMMAND"
    " SYSTEMD_PAGER SYSTEMD_EDITOR CVS_RSH FCEDIT BASH_ENV ENV PYTHONSTARTUP"
)
_USUAL_RUN = names(
    "cat less more most bat delta true false : vi vim nvim nano emacs code ed editor head ssh diff difft echo open"
    " xdg-open firefox sensible-editor sensible-pager micro hx subl tee never col"
)
_SOURCED = names("BASH_ENV ENV PYTHONSTARTUP")
# Folders in which programs look for code.
_CODE_PATHS = names(
    "LD_LIBRARY_PATH LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES DYLD_LIBRARY_PATH PYTHONPATH PERL5LIB RUBYLIB"
    " NODE_PATH GCONV_PATH PATH CLASSPATH"
)
# Names of variables that say where programs, settings or code are.
_STEERS = re.compile(
    r"^GIT_|(?:^|_)(?:CC|CXX|SHELL|COMMAND|EDITOR|PAGER|WRAPPER|PRELOAD|STARTUP|CONFIG|CONFIG_FILE|RC"
    r"|RCFILE|OPTS|PATH|LINKER|INTERPRETER)$"
    r"|^(?:PYTHONHOME|JAVA_HOME|NPM_CONFIG_\w+|npm_config_\w+)$"
)
_NEVER_LOCAL = names("LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES GCONV_PATH")
_FLAGS = names("NODE_OPTIONS PERL5OPT RUBYOPT JAVA_TOOL_OPTIONS _JAVA_OPTIONS PYTHONBREAKPOINT")
_LOADS = re.compile(r"(?:^|\s)(?:-r|-M|-I|-e|--require|--import|--loader|-javaagent|-agent)")
_TRUST = {
    "NODE_TLS_REJECT_UNAUTHORIZED": ("0", "false"),
    "GIT_SSL_NO_VERIFY": ("1", "true"),
    "PYTHONHTTPSVERIFY": ("0",),
    "STRICT_SSL": ("false", "0"),
}
_CERTIFICATES = names(
    "SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS GIT_SSL_CAINFO KUBECONFIG"
)
# Places from which code, answers or containers come.
_SOURCES = names(
    "PIP_INDEX_URL PIP_EXTRA_INDEX_URL UV_INDEX_URL UV_DEFAULT_INDEX NPM_CONFIG_REGISTRY GOPROXY"
    " GONOSUMDB DOCKER_HOST AWS_ENDPOINT_URL"
    " OPENAI_BASE_URL OPENAI_API_BASE ANTHROPIC_BASE_URL HF_ENDPOINT CARGO_REGISTRIES_CRATES_IO_INDEX"
    " HOMEBREW_BOTTLE_DOMAIN"
)
_USUAL_SOURCES = (
    "pypi.org",
    "registry.npmjs.org",
    "proxy.golang.org",
    "registry.yarnpkg.com",
    "api.openai.com",
    "huggingface.co",
)
_PROXIES = names("HTTP_PROXY HTTPS_PROXY ALL_PROXY FTP_PROXY")
# By these an agent that is started knows what bounds it has.
BOUNDS = names("HANDIWORK_PROFILE HANDIWORK_DEPTH HANDIWORK_HOME")
_HISTORY = names("HISTFILE HISTSIZE HISTFILESIZE")
_TEMPORARY = ("/tmp", "/var/tmp", "/dev/shm")
_LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1", "")


def tampers(name: str, value: str, shell: Shell) -> None:
    """Note it where setting *name* to *value* lets someone else in, or hides what is done."""
    if name in _RUN:
        _runs(name, value, shell)
    elif name in ("PS1", "PS4"):
        if "$(" in value or "`" in value:
            shell.effect("env_tamper", f"{name}={shown(value)}")
            _run_substitutions(value, shell)
    elif (name in _CODE_PATHS and any(_is_strange(name, folder) for folder in value.split(":"))) or _weakens(
        name, value
    ):
        shell.effect("env_tamper", f"{name}={shown(value)}")
    elif name in BOUNDS:
        shell.effect("self", f"{name}={shown(value)}", "it changes the bounds of an agent that it starts ({0})")
    elif name in _HISTORY and value in ("/dev/null", "0", ""):
        shell.effect("log_wipe", f"{name}={value}")


def _weakens(name: str, value: str) -> bool:
    """Whether the value takes a protection away, or lets a stranger's code or answers in."""
    if name in _FLAGS:
        strange = name == "PERL5OPT" or any(place in value for place in ("/tmp", "http:", "/dev/shm"))
        return bool(_LOADS.search(value)) and strange
    return (
        value.lower() in _TRUST.get(name, ())
        or (name == "PATH" and not value.strip(":"))
        or name.startswith("BASH_FUNC_")
        or ((name in _CERTIFICATES or bool(_STEERS.search(name))) and value.startswith(_TEMPORARY))
        or _comes_from_elsewhere(name.upper(), value)
    )


def _comes_from_elsewhere(name: str, value: str) -> bool:
    if name in _SOURCES and "://" in value:
        return not value.startswith("unix:") and _host(value.partition(",")[0]) not in (*_LOCAL_HOSTS, *_USUAL_SOURCES)
    return name in _PROXIES and _host(value) not in _LOCAL_HOSTS


def _host(url: str) -> str:
    try:
        return urlsplit(url if "//" in url else "//" + url).hostname or ""
    except ValueError:
        return "?"


def _is_strange(name: str, folder: str) -> bool:
    """Whether code is looked for where anybody can put it."""
    bare = without_marks(folder)
    if name == "PATH" and folder in (".", "./"):
        return True
    return bool(bare) and (bare.startswith(_TEMPORARY) or (name in _NEVER_LOCAL))


def _runs(name: str, value: str, shell: Shell) -> None:
    program = (value.split() or [""])[0].rpartition("/")[2]
    if name in _SOURCED:
        content = shell.content(value)
        if content is not None:
            shell.engine.run_text(shell, content)
        if value:
            shell.effect("env_tamper", f"{name}={shown(value)}")
    elif value and (program not in _USUAL_RUN or re.search(r"[;|&`<>]|\$\(", value)):
        shell.effect("env_tamper", f"{name}={shown(value)}")
        shell.engine.run_text(shell, value)


def _run_substitutions(value: str, shell: Shell) -> None:
    for inner in re.findall(r"\$\(([^()]*)\)|`([^`]*)`", value):
        shell.engine.run_text(shell, inner[0] or inner[1])
