# tests/workbench/commands/plans/slurm_cluster.sh: a real Slurm of three nodes on this machine, for tests.
# slurm_cluster.sh start|stop FOLDER [PORT]: each node has two character devices without meaning as GPUs, so Slurm
# sets CUDA_VISIBLE_DEVICES as on a real node. Everything listens on 127.0.0.1, from PORT upwards. Needs root and
# Debian's packages slurmctld, slurmd, slurm-client and munge. Then: export SLURM_CONF=FOLDER/slurm.conf
set -euo pipefail
command=$1 folder=$(mkdir -p "$2" && cd "$2" && pwd) port=${3:-16817}
if [[ $command == stop ]]; then
  for pid in "$folder"/run/*.pid; do [[ -e $pid ]] && kill "$(cat "$pid")" 2>/dev/null || true; done
  exit 0
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
munged --force --key-file="$folder/munge.key" --socket="$folder/run/munge.sock" \
  --pid-file="$folder/run/munged.pid" --log-file="$folder/log/munged" --seed-file="$folder/run/seed"
export SLURM_CONF=$folder/slurm.conf
slurmctld -f "$SLURM_CONF"
sleep 2
for node in n1 n2 n3; do slurmd -f "$SLURM_CONF" -N "$node"; done
for _ in $(seq 20); do sinfo -h -p main -t idle -o %D 2>/dev/null | grep -qx 3 && exit 0; sleep 1; done
echo "the nodes do not become idle; see $folder/log" >&2
exit 1
