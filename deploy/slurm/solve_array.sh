#!/usr/bin/env bash
# Solves a folder of .jsonl files as an array of Slurm jobs, each with a daemon of its own.
#
#   sbatch --array=0-9 --cpus-per-task=8 deploy/slurm/solve_array.sh /shared/instances /shared/answers --budget 20ms
#
# Both folders must be on a disk that all nodes share, and vrpd and vrpctl in PATH. A requeued or resubmitted task
# continues where it ended. Set DEPLOY to the folder deploy/ where Slurm copies this script away from it.
#SBATCH --job-name=vrp-solve
#SBATCH --requeue
#SBATCH --open-mode=append
set -euo pipefail

deploy=${DEPLOY:-${SLURM_SUBMIT_DIR:-.}/deploy}
exec "$deploy/solve_shard.sh" "$((SLURM_ARRAY_TASK_ID - SLURM_ARRAY_TASK_MIN))" "$SLURM_ARRAY_TASK_COUNT" "$@"
