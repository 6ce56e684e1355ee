# tests/workbench/commands/plans/slurm_cluster.sh: a real Slurm of three nodes on this machine, for tests.
# slurm_cluster.sh FOLDER [PORT]: runs until its input ends, also because the test was killed; then nothing of it is
# left. FOLDER/state.txt says "ready" when jobs can be submitted, or why there is no cluster.
# Each node has two character devices without meaning as GPUs, so Slurm sets CUDA_VISIBLE_DEVICES as on a real node.
# Everything listens on 127.0.0.1, from PORT upwards. Needs root and Debian's packages slurmctld, slurmd, slurm-client
# and munge. Then: export SLURM_CONF=FOLDER/slurm.conf
set -euo pipefail
folder=$(mkdir -p "$1" && cd "$1" && pwd) port=${2:-16817}

# All processes are of one namespace, which the kernel ends with its first process: slurmctld and the jobs' steps leave
# the process group, and steps try for minutes to reach a slurmctld that is gone.
if [[ ${3:-} != inside ]]; then
  exec unshare --pid --fork --kill-child --mount-proc bash "$0" "$folder" "$port" inside
fi
mkdir -p "$folder"/{state,spool,log,run}
head -c 1024 /dev/urandom >"$folder/munge.key"
chmod 600 "$folder/munge.key"
[[ -e $folder/gpu0 ]] || { mknod "$folder/gpu0" c 1 3; mknod "$folder/gpu1" c 1 5; }
cat >"$folder/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/run/munge.sock
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool/%n
SlurmctldPidFile=$folder/run/ctld.pid
SlurmdPidFile=$folder/run/%n.pid
SlurmctldLogFile=$folder/log/ctld
SlurmdLogFile=$folder/log/%n
SlurmctldPort=$port
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
KillWait=2
SchedulerParameters=requeue_delay=1,sched_interval=2
JobAcctGatherType=jobacct_gather/none
GresTypes=gpu
NodeName=n[1-3] NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 3))] CPUs=2 RealMemory=2000 Gres=gpu:2 State=UNKNOWN
PartitionName=main Nodes=n[1-3] Default=YES MaxTime=60 State=UP OverSubscribe=FORCE:4
PartitionName=closed Nodes=n[1-3] AllowGroups=nogroup MaxTime=60 State=UP
CONF
printf 'NodeName=n[1-3] Name=gpu File=%s/gpu[0-1]\n' "$folder" >"$folder/gres.conf"
export SLURM_CONF=$folder/slurm.conf
exec 3<&0 </dev/null # no daemon keeps the input open
munged --foreground --force --key-file="$folder/munge.key" --socket="$folder/run/munge.sock" \
  --pid-file="$folder/run/munged.pid" --log-file="$folder/log/munged" --seed-file="$folder/run/seed" 3<&- &
slurmctld -D -f "$SLURM_CONF" 3<&- &
sleep 2
for node in n1 n2 n3; do slurmd -D -f "$SLURM_CONF" -N "$node" 3<&- & done
state="the nodes do not become idle; see $folder/log"
for _ in $(seq 20); do
  if sinfo -h -p main -t idle -o %D 2>/dev/null | grep -qx 3; then
    state=ready
    break
  fi
  sleep 1
done
echo "$state" >"$folder/state.txt"
[[ $state != ready ]] || cat <&3 >/dev/null
