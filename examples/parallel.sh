#!/usr/bin/env bash
# A folder of clouds in 16 shares by GNU parallel, one share a core at a time; then the summary of all:
#
#     examples/parallel.sh tiles results --top 20
#
# On several machines that share the folders: PARALLEL='--sshloginfile hosts --workdir .' examples/parallel.sh …
set -euo pipefail

shards=16
clouds=$1 out=$2
shift 2
# A share with a bad file ends with 1, and so does parallel; what is missing is named when all are joined.
seq "$shards" | parallel --quote \
    planes batch "$clouds" --out "$out" --threads 1 --shard "{}/$shards" "$@" || true
planes batch --collect="$shards" --out "$out"
