#!/usr/bin/env bash
# The demonstration: a model that runs on this machine does a small task with real tools.
# usage: HANDIWORK_HOME=... MODEL=... demo.sh PATH-TO-HANDIWORK
set -eu
hw=$1
model=${MODEL:-qwen2.5-coder-1.5b}
folder=$(dirname "$HANDIWORK_HOME")/work

# The model, once: its authors' file, or, where that can't be reached, the same bytes from the mirror.
"$hw" model pull "$model" || "$hw" model pull "$model" --mirror

rm -rf "$folder" && mkdir -p "$folder/.handiwork"
cat > "$folder/sales.csv" <<'CSV'
date,fruit,kg
2026-01-02,apple,12
2026-01-03,pear,7
2026-01-03,apple,5
2026-01-04,plum,9
2026-01-05,apple,3
2026-01-06,pear,11
CSV
task="Read sales.csv, find out with a shell command how many of its lines mention apple, and write only that number into apples.txt."

echo
echo "\$ handiwork run \"$task\""
time "$hw" run "$task" --model "local/$model" --toolsets file,terminal --cwd "$folder"
echo
echo "\$ cat apples.txt"
cat "$folder/apples.txt"
echo
