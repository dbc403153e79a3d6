"""Databases, queues and search engines."""

from __future__ import annotations

from ..code.sql import read_sql
from ..shell.call import Call
from ..shell.marks import is_known, veiled
from .arguments import Arguments
from .entry import Program, Rule
from .notes import note_path


def _sql(call: Call, arguments: Arguments) -> str:
    """The statements behind `-c`, `-e` or among the operands, fed, or in a file that the command wrote."""
    texts = arguments.of(
        (
            "-c",
            "--command",
            "-e",
            "--execute",
            "--eval",
            "-eval",
            "-q",
            "-Q",
            "--query",
            "-cmd",
            "-execute",
            "--javascript.execute-string",
        )
    )
    texts += [
        a.partition("=")[2] for a in call.args if a.startswith(("--eval=", "--execute=", "--command=", "--query="))
    ]
    texts += [o for o in arguments.operands if " " in o or o.startswith(".")]
    for path in arguments.of(("-f", "--file", "-i")):
        texts.append(call.text_of(path))
    if call.stdin is not None:
        texts.append(call.stdin)
    for text in texts:
        if is_known(text) or len(text) > 3:
            read_sql(text, call)
    for path in arguments.of(("-o", "--output")):
        note_path(call, "write", path)
    if call.name.startswith(("sqlite", "duckdb")):
        for path in arguments.operands[:1]:
            call.shell.reads(path)
    return veiled(call.stdin)


def _drops(call: Call, _arguments: Arguments) -> str:
    if call.name in ("dropdb", "dropuser", "createuser", "dropschema", "droplang"):
        call.effect("database", " ".join([call.name, *call.args])[:80])
    return ""


def _fed_redis(call: Call) -> str:
    words = (call.stdin or "").lower().split()
    if {"flushall", "flushdb", "shutdown"}.intersection(words):
        call.effect("database", words[0])
    return veiled()


PROGRAMS = (
    Program(
        "psql mysql mariadb sqlite3 sqlite mongosh mongo cqlsh clickhouse clickhouse-client sqlcmd isql"
        " usql pgcli mycli litecli sqlplus duckdb cockroach snowsql bq-query influx neo4j cypher-shell"
        " osqueryi tsql db2 vsql trino presto beeline hive spark-sql surreal arangosh ksql"
        " phoenix-sqlline",
        values="-c --command -e --execute --eval -eval -f --file -i -U -u -h -p -d -D -P -H --host --user"
        " --username --port --dbname --database -o --output -q -Q --query -S -s -v --set -cmd -execute"
        " --javascript.execute-string",
        reader=_sql,
        dry="--help --version",
        allow=("psql -c 'SELECT 1'", "sqlite3 app.db 'select count(*) from t'", "mysql -e 'SHOW TABLES'", "psql prod"),
        ask=(
            "psql prod -c 'DROP TABLE users'",
            "mysql -e 'DELETE FROM c'",
            "mongosh prod --eval 'db.dropDatabase()'",
            "echo 'truncate t' | psql",
            "sqlite3 x.db 'drop table t'",
            "psql -c \"UPDATE u SET p=''\"",
        ),
        forbid=("psql -c '\\! rm -rf /etc'", "sqlite3 :memory: '.shell rm -rf /'"),
    ),
    Program(
        "dropdb dropuser dropdb-all mysqladmin createuser dropschema droplang",
        values="-h -p -U -u -d --username --host --port",
        dry="--help --version -?",
        quiet=True,
        rules=(
            Rule(
                "drop|shutdown|flush-privileges|password|kill|refresh|create|status|ping|version"
                "|processlist !~status|ping|version|processlist",
                "database",
            ),
            Rule("* drop|shutdown|kill|password", "database"),
        ),
        reader=_drops,
        ask=("dropdb production", "dropuser -h 1 bob", "mysqladmin drop x", "createuser -s eve"),
        allow=("mysqladmin status", "dropdb --help"),
    ),
    Program(
        "redis-cli valkey-cli keydb-cli dragonfly-cli",
        values="-h -p -a -n -u --user --pass",
        quiet=True,
        rules=(
            Rule(
                "FLUSHALL|FLUSHDB|SHUTDOWN|flushall|flushdb|shutdown|DEBUG|debug|SLAVEOF|slaveof"
                "|REPLICAOF|replicaof|MODULE|module",
                "database",
            ),
            Rule("CONFIG|config SET|set", "database"),
            Rule("CLUSTER|cluster RESET|reset|FLUSHSLOTS", "database"),
            Rule("SCRIPT|script FLUSH|flush", "database"),
            Rule("ACL|acl SETUSER|setuser", "access"),
            Rule("--cluster|--rdb|--pipe", "database"),
        ),
        reader=lambda call, _arguments: _fed_redis(call),
        allow=("redis-cli GET x", "redis-cli ping"),
        ask=("redis-cli FLUSHALL", "echo FLUSHALL | redis-cli"),
    ),
    Program(
        "kafka-topics.sh kafka-topics kafka-delete-records.sh kafka-consumer-groups.sh kafka-configs.sh"
        " rpk kcat rabbitmqctl rabbitmqadmin nats activemq etcdctl zkCli.sh zookeepercli"
        " elasticsearch-sql curator elasticdump es2csv memcached-tool mc-admin ceph rados rbd gluster"
        " hdfs hadoop hbase yarn-app kudu nodetool patronictl pg_ctl pg_ctlcluster barman pgbackrest"
        " repmgr mysqldumpslow innobackupex mongorestore pg_restore couchbase-cli cbq tidb-ctl tikv-ctl",
        values="--bootstrap-server --topic -h --host --endpoints -c --db --dbname",
        quiet=True,
        dry="--help --version --dry-run",
        rules=(
            Rule(
                "--delete|--drop|--clean|-c|--purge|--remove|--force-delete|-rmr|-expunge|-delete|--alter", "database"
            ),
            Rule(
                "^delete|del|drop|purge|reset|purge_queue|delete_queue|stop_app|forget_cluster_node|rm"
                "|rmr|deleteall|decommission|removenode|assassinate|truncatetable|clearsnapshot|stop"
                "|remove|force_reset|delete_vhost|delete_user|destroy|out|down|failover|reinit|format"
                "|truncate",
                "database",
            ),
            Rule("dfs|fs -rm|-rmr|-rmdir|-expunge|-skipTrash|-chmod", "database"),
        ),
        allow=("kafka-topics.sh --list", "etcdctl get x", "rabbitmqctl status", "nodetool status"),
        ask=(
            "kafka-topics.sh --bootstrap-server b:9092 --delete --topic orders",
            "etcdctl del --prefix /",
            "rabbitmqctl reset",
            "hdfs dfs -rm -r /data",
        ),
    ),
    Program(
        "pg_dropcluster pg_resetwal pg_dropcluster.sh",
        rules=(Rule("", "database"),),
        quiet=True,
        ask=("pg_dropcluster 14 main",),
    ),
    Program(
        "pg_dump pg_dumpall mysqldump mongodump mongoexport sqldump",
        values="-f --file -U -u -h -p -d -o --out --result-file -r",
        rules=(Rule("-f|--file|-o|--out|-r|--result-file", "write", "-f|--file|-o|--out|-r|--result-file"),),
        quiet=True,
        allow=("pg_dump app > app.sql",),
        ask=("pg_dump app -f /srv/x.sql",),
    ),
)
