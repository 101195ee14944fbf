#!/usr/bin/env bash
# The wheel that carries the program, in a root with nothing but Python: wheel.sh BUILD_DIR [FOLDER]
# Makes the wheel (packaging/wheel.sh; kept in FOLDER if it is given), and a root of the files of this machine's Debian
# packages python3-venv, libstdc++6 (which any Debian has) and what these need, without compilers, gnuplot or drivers;
# there installs the wheel with pip alone and does what a newcomer does. Wheels of others are those that tools.sh --get
# has fetched, so that the root needs no way to an index.
set -euo pipefail
build=$(realpath "$1") here=$(cd "$(dirname "$0")" && pwd)
python=${COSWEEP_TOOLS_PYTHON:-python3}
wheels=$("$python" -c 'import sys; print(sys.prefix)')/wheels
test -d "$wheels" || { echo "skipped: no $wheels; tests/scripts/tools.sh --get FOLDER gets it" >&2; exit 77; }
for tool in unshare chroot dpkg apt-cache; do
  command -v $tool > /dev/null || { echo "skipped: no $tool" >&2; exit 77; }
done
dpkg -s python3-venv > /dev/null 2>&1 || { echo 'skipped: no python3-venv' >&2; exit 77; }
unshare --mount true 2> /dev/null || { echo 'skipped: no mounts of its own; want root' >&2; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf --one-file-system "$scratch"' EXIT
root=$scratch/root
made=${2:-$scratch/made}
"$here/../../packaging/wheel.sh" "$build" "$made"

# ---- the root

mkdir -p "$root"/{usr/{bin,sbin,lib,lib64},dev,proc,tmp,wheels,etc}
for folder in bin sbin lib lib64; do
  ln -s usr/$folder "$root/$folder"
done
apt-cache depends --recurse --installed --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces \
  --no-enhances base-files bash coreutils grep libc-bin libstdc++6 python3-venv | grep '^[a-z]' | sort -u > "$scratch/packages"
# shellcheck disable=SC2046
dpkg -L $(cat "$scratch/packages") | grep -v '^/usr/share/\(doc\|locale\|man\)/' | sort -u | while read -r file; do
  if test -L "$file" || test -f "$file"; then echo "${file#/}"; fi
done > "$scratch/files"
tar -C / --no-recursion -cf - -T "$scratch/files" | tar -C "$root" -xf -
cp "$made"/*.whl "$wheels"/*.whl "$root/wheels"
cp "$here"/../data/import/two_mass.mat "$here"/../data/import/plain_v73.mat "$root/tmp"

# ---- what happens in it

cat > "$root/newcomer" << 'END'
set -euo pipefail
for tool in cc gcc make cmake gnuplot; do
  if command -v $tool; then echo "the root is not bare"; exit 1; fi
done
cd /tmp
ldconfig
python3 -m venv /venv
SECONDS=0
/venv/bin/pip install --quiet --no-index --find-links /wheels cosweep
echo "wheel.sh: pip took $SECONDS s, $(du -scm /venv/lib/python3*/site-packages/cosweep* | tail -1 | cut -f1) MB"
PATH=/venv/bin:$PATH
cosweep --version
cosweep devices | grep host
cosweep new demo
cd demo
cosweep run sweep.json > run.txt
cosweep info ./*.h5 > info.txt
status=0
cosweep plot ./*.h5 2> said.txt || status=$?
cat said.txt
[[ $status == 5 && $(cat said.txt) == *"apt-get install gnuplot-nox"* ]] || { echo "plot ended with $status"; exit 1; }
cosweep report ./*.h5 2> said.txt || cat said.txt
cosweep explain model.json > explain.txt
python << 'PYTHON'
import cosweep as cs, numpy as np, shutil
from cosweep.program import find_program
assert find_program().endswith("site-packages/cosweep/bin/cosweep"), find_program()
net = cs.Network("decay").add("one", [[-1.0]], [[1.0]], [[1.0]], x0=[1.0]).connect("one.y1", "one.u1", -1)
d = cs.run(net, {"H": cs.axis("method.step.size", np.geomspace(.1, .9, 3), "s")}, {"hold": "lagrange"}, ["output_error"], t_end=1)
assert d.output_error.size == 3 and np.isfinite(d.output_error).all(), d
cs.explain(net)
np.savez("pair.npz", A=[[-2.0]], B=[[1.0]], C=[[1.0]], x0=[1.0])
PYTHON
cosweep import pair.npz # by the Python of the command, though another python3 may be first in PATH
PATH=/usr/bin /venv/bin/cosweep import pair.npz --force
cosweep import /tmp/plain_v73.mat
cosweep import /tmp/two_mass.mat
END
# Of this machine only what programs need of a kernel.
# shellcheck disable=SC2016
unshare --mount bash -euo pipefail -c '
  mount --rbind /dev "$0/dev"
  mount --rbind /proc "$0/proc"
  exec env -i PATH=/usr/bin:/bin:/usr/sbin HOME=/tmp LC_ALL=C.UTF-8 chroot "$0" bash /newcomer' "$root"
echo "wheel.sh: $(stat -c %s "$made"/*.whl) bytes in the wheel"
