"""Containers and clusters."""

from __future__ import annotations

import re

from ..shell.call import Call
from ..shell.marks import SECRET, is_known, veiled
from .arguments import Arguments
from .entry import Program, Rule
from .notes import described, note_path
from .shells import INSIDE
from .signs import MINING

_RUN_VALUES = frozenset(
    [
        "-e",
        "-v",
        "-w",
        "-u",
        "-p",
        "-h",
        "-l",
        "-m",
        "--env",
        "--volume",
        "--workdir",
        "--user",
        "--publish",
        "--name",
        "--network",
        "--net",
        "--mount",
        "--entrypoint",
        "--hostname",
        "--label",
        "--env-file",
        "--cpus",
        "--memory",
        "--platform",
        "--pull",
        "--restart",
        "--add-host",
        "--device",
        "--cap-add",
        "--security-opt",
        "--log-driver",
        "--link",
        "--ip",
        "--gpus",
        "--shm-size",
        "--tmpfs",
        "--ulimit",
        "--runtime",
        "--pid",
        "--ipc",
        "--cgroupns",
        "--volumes-from",
        "--expose",
        "--dns",
        "-c",
        "--cpu-shares",
        "--cidfile",
        "--detach-keys",
        "--index",
        "-f",
        "--file",
        "--project-directory",
        "--profile",
        "--stop-timeout",
        "--stop-signal",
        "--group-add",
        "--userns",
        "--annotation",
    ]
)
_HOST_PATH = re.compile(
    r"^(?:/|/etc(?:/.*)?|/var|/usr|/root|/home|/proc|/sys|/dev|/boot|/bin|/lib|~|/var/run/docker\.sock"
    r"|/run/docker\.sock|/var/run|/var/lib/docker)/?(?::|$)"
)


def read_docker(call: Call, _arguments: Arguments) -> str:
    """`docker run|exec image program`: what runs inside is read, and what of the host is handed in."""
    args = list(call.args)
    while args and args[0].startswith("-"):
        flag = args.pop(0)
        if flag in ("-H", "--host", "-c", "--context", "--config", "-l", "--log-level") and args:
            args.pop(0)
    if args[:1] in (["container"], ["compose"]):
        args.pop(0)
        while args and args[0].startswith("-"):
            flag = args.pop(0)
            if (
                flag in ("-f", "--file", "-p", "--project-name", "--profile", "--env-file", "--project-directory")
                and args
            ):
                args.pop(0)
    verb = args.pop(0) if args else ""
    if verb in ("run", "exec", "create"):
        _runs(call, verb, args)
    elif verb in ("stop", "restart", "kill", "rm", "rmi", "pause", "update") and not all(is_known(a) for a in args):
        call.effect("container", described(call))
    elif verb == "cp" and len(args) > 1 and ":" not in args[-1]:
        note_path(call, "write", args[-1])
    return veiled()


def _runs(call: Call, verb: str, args: list[str]) -> None:
    inner = Arguments(args, _RUN_VALUES, leading=True)
    if verb != "exec" and _opens_host(inner):
        call.effect("container", described(call), f"it hands the host to a container ({described(call)})")
    if inner.has(("--privileged",)) and verb == "exec":
        call.effect("container", described(call))
    if MINING.search(" ".join(inner.rest[:1])):
        call.effect("mining")
    words = inner.rest[1:]
    entry = inner.of(("--entrypoint",))
    if entry:
        words = [entry[-1], *words]
    if words:
        _inside(call, words)


def _opens_host(inner: Arguments) -> bool:
    given = [*inner.of(("-v", "--volume")), *re.findall(r"(?:source|src)=([^,]+)", " ".join(inner.of(("--mount",))))]
    if any(_HOST_PATH.match(v) or "docker.sock" in v for v in given):
        return True
    if inner.has(("--privileged",)) or any(
        "/dev/" in d for d in inner.of(("--device",)) if "null" not in d and "dri" not in d
    ):
        return True
    spaces = [*inner.of(("--pid", "--userns", "--ipc", "--cgroupns")), *inner.of(("--security-opt",))]
    return (
        "host" in spaces
        or "SYS_ADMIN" in inner.of(("--cap-add",))
        or "ALL" in inner.of(("--cap-add",))
        or any("unconfined" in s for s in spaces)
    )


def _inside(call: Call, words: list[str]) -> None:
    """A program in a container: its files are the container's, but what it does to them counts."""
    shell = call.shell
    outer = (shell.cwd, shell.workspace)
    shell.cwd = shell.workspace = INSIDE
    if len(words) == 1 and " " in words[0]:
        call.runs(words[0])
    else:
        call.runs_words(words)
    shell.cwd, shell.workspace = outer


def read_kubectl(call: Call, arguments: Arguments) -> str:
    """`kubectl exec pod -- program`."""
    verb = arguments.operands[0] if arguments.operands else ""
    if verb in ("exec", "run", "debug") and "--" in call.args:
        _inside(call, call.args[call.args.index("--") + 1 :])
    elif verb == "cp" and len(arguments.operands) > 2 and ":" not in arguments.operands[2]:
        note_path(call, "write", arguments.operands[2])
    if verb == "scale" and "0" in arguments.of(("--replicas",)) and not arguments.has(("--dry-run",)):
        call.effect("container", described(call))
    if verb in ("apply", "create", "replace") and any("://" in f for f in arguments.of(("-f", "--filename"))):
        call.effect("run_fetched_code", described(call))
    if (
        verb == "get"
        and any(o.partition("/")[0] in ("secret", "secrets") for o in arguments.operands[1:3])
        and arguments.has(("-o", "--output", "-ojson", "-oyaml"))
    ):
        call.effect("read_secret", described(call))
        return veiled(SECRET)
    return veiled(SECRET) if verb == "get" and "secrets" in arguments.operands else veiled(call.stdin)


_DRY = "!--dry-run"

PROGRAMS = (
    Program(
        "docker podman nerdctl docker-compose podman-compose finch buildah",
        values="-f --file -p --project-name --filter --format -n --tail --since --until -t --timeout -e -v -w"
        " -u --name --network --context -c",
        reader=read_docker,
        quiet=True,
        dry="--help --version",
        rules=(
            Rule("system prune|reset", "container"),
            Rule("system df", "run"),
            Rule(
                "volume|network|builder|buildx|machine|secret|config|stack|service|context|plugin|node"
                "|pod|trust prune|rm|remove|delete|rmi|destroy|reset|uninstall|drain",
                "container",
            ),
            Rule("image|container prune", "container"),
            Rule("image rm|remove -f|--force", "container"),
            Rule("compose down -v|--volumes|--rmi|--remove-orphans", "container"),
            Rule("down -v|--volumes|--rmi", "container"),
            Rule("compose rm|kill", "container"),
            Rule("kill", "container"),
            Rule("rm -f|--force|-v|--volumes", "container"),
            Rule("rmi -f|--force", "container"),
            Rule("container kill", "container"),
            Rule("container rm -f|--force", "container"),
            Rule("swarm leave|init|ca|unlock-key", "container"),
            Rule("swarm leave", "container"),
            Rule("push|login|logout", "run"),
            Rule("image push", "publish"),
            Rule("push", "publish"),
            Rule("update|rename", "run"),
        ),
        allow=(
            "docker ps -a",
            "docker build -t x .",
            "docker run --rm -v $PWD:/src -w /src node:20 npm test",
            "docker compose up -d",
            "docker logs web",
            "docker image rm myapp:old",
            "docker exec web ls",
        ),
        ask=(
            "docker system prune -af",
            "docker volume rm x",
            "docker run -v /:/host alpine sh",
            "docker run --privileged x",
            "docker rm -f web",
            "docker exec db rm -rf /srv/x",
            "docker compose down -v",
            "docker run -v /var/run/docker.sock:/var/run/docker.sock x",
        ),
        forbid=("docker exec web rm -rf /", "docker run --rm -v /:/h alpine rm -rf /etc"),
    ),
    Program(
        "kubectl oc k3s kubecolor k microk8s.kubectl",
        values="-n --namespace -f --filename -l --selector -o --output --context --cluster --user -c"
        " --container --kubeconfig --field-selector --type -p --patch --tail --since --replicas",
        reader=read_kubectl,
        quiet=True,
        rules=(
            Rule(f"delete|drain|replace|cordon|taint|evict {_DRY}", "container"),
            Rule(f"rollout undo {_DRY}", "container"),
            Rule(f"apply --prune {_DRY}", "container"),
            Rule(f"patch {_DRY}", "container"),
            Rule("config delete-context|delete-cluster|unset|delete-user", "container"),
            Rule("create clusterrolebinding|rolebinding|token|clusterrole|secret|serviceaccount", "access"),
            Rule("certificate approve|deny", "access"),
            Rule("debug", "access"),
            Rule("run --privileged", "access"),
            Rule("config set-credentials|set-cluster", "access"),
            Rule("auth reconcile", "access"),
            Rule("proxy --address|--accept-hosts|--disable-filter", "listen"),
            Rule("adm", "container"),
        ),
        allow=(
            "kubectl get pods",
            "kubectl apply -f k8s/",
            "kubectl logs x",
            "kubectl exec pod -- ls",
            "kubectl delete pod x --dry-run=client",
            "kubectl rollout status x",
        ),
        ask=(
            "kubectl delete ns production",
            "kubectl drain node",
            "kubectl scale --replicas=0 deploy/x",
            "kubectl get secret db -o yaml",
            "kubectl create clusterrolebinding x",
        ),
        forbid=("kubectl exec pod -- mkfs.ext4 /dev/sda", "kubectl exec db-0 -- rm -rf /"),
    ),
    Program(
        "helm",
        values="-n --namespace -f --values --set --version --kube-context",
        rules=(
            Rule(f"delete|uninstall|del|un|rollback {_DRY}", "container"),
            Rule("repo|plugin remove|rm|uninstall", "run"),
            Rule("push", "publish"),
        ),
        quiet=True,
        allow=("helm list", "helm template x", "helm install x y"),
        ask=("helm delete api", "helm uninstall api"),
    ),
    Program(
        "crictl lxc incus lxc-destroy lxc-stop virsh vagrant multipass limactl colima kind minikube k3d"
        " k0s VBoxManage vboxmanage qm pct virt-install prlctl vmrun kubeadm talosctl nomad rancher ctr"
        " machinectl vz jail bastille orb tart",
        values="--name -n",
        rules=(
            Rule(
                "^delete|destroy|undefine|rm|rmp|remove|purge|prune|unregistervm|closemedium|reset"
                "|shrink|rmi|deregister|terminate|uninstall|rollback|restore|reload-config|revert",
                "container",
            ),
            Rule("force-stop|poweroff|kill|controlvm|drain|job", "container"),
            Rule("snapshot delete|restore|pop", "container"),
            Rule("system gc", "container"),
            Rule("config device add", "container"),
            Rule("shell|login", "privilege"),
            Rule("-purge|--purge", "container"),
            Rule("box|plugin remove|uninstall|prune", "container"),
        ),
        quiet=True,
        allow=("vagrant up", "lxc list", "minikube status", "pct list", "vagrant reload", "vagrant box update"),
        ask=("vagrant destroy -f", "virsh undefine vm1", "kind delete cluster", "lxc delete x --force"),
    ),
    Program("lxc-attach", values="-n", runs="words", dry="", forbid=("lxc-attach -n x -- rm -rf /",)),
)
