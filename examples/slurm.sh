#!/usr/bin/env bash
#SBATCH --job-name=planes
#SBATCH --array=1-16
#SBATCH --cpus-per-task=4
#SBATCH --mem=8G
#SBATCH --output=planes-%A_%a.log

# A folder of clouds in 16 shares, each a task of a Slurm array; then the summary of all:
#
#     job=$(sbatch --parsable examples/slurm.sh tiles results --top 20)
#     sbatch --dependency=afterany:"$job" --wrap 'planes batch --collect --out results'
#
# What failed or ran out of time is done with sbatch --array=3,7; what is finished is not done again.
set -euo pipefail

shards=16 # as in --array
clouds=$1 out=$2
shift 2
exec planes batch "$clouds" --out "$out" --shard "$SLURM_ARRAY_TASK_ID/$shards" \
    --threads "${SLURM_CPUS_PER_TASK:-1}" "$@"
