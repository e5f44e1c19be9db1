#!/usr/bin/env bash
# Trains one network by several workers, one on each node of a Slurm job. The daemon runs on the first node and starts the
# workers by srun. A requeued job continues from its newest checkpoint.
#
#   sbatch --nodes=4 --ntasks-per-node=1 --cpus-per-task=16 deploy/slurm/train_workers.sh train.yaml /shared/state
#
# The state folder must be on a disk that outlives the job; vrpd, vrpctl and vrp_worker must be in PATH on all nodes, at the
# same path. Options after the folder are those of vrpctl train. WORKERS replaces the number of
# Slurm's tasks, and WORKER_LAUNCHER the command that starts the workers.
#SBATCH --job-name=vrp-train
#SBATCH --requeue
#SBATCH --open-mode=append
set -euo pipefail

config=${1:?CONFIG is missing: wanted CONFIG STATE [OPTIONS OF vrpctl train]}
state=${2:?STATE is missing: wanted CONFIG STATE [OPTIONS OF vrpctl train]}
workers=${WORKERS:-${SLURM_NTASKS:-2}}
launcher=${WORKER_LAUNCHER:-srun --mpi=pmix --ntasks={workers}}
socket=$(mktemp -d)/vrpd
vrpd --listen "unix:$socket" --state-dir "$state" --worker-launcher "$launcher" &
daemon=$!
trap 'kill "$daemon"; wait "$daemon"; rm -rf "$(dirname "$socket")"' EXIT
until vrpctl --remote "unix:$socket" server health >/dev/null 2>&1; do
  kill -0 "$daemon"
  sleep 0.2
done
# The request id makes a requeued job find its training again.
vrpctl --remote "unix:$socket" train --config "$config" --set "training.workers=$workers" \
  --request-id "slurm-${SLURM_JOB_ID:-0}" "${@:3}"
