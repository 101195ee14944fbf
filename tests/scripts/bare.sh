#!/usr/bin/env bash
# The packages on a machine that has nothing else, by hand and as root: bare.sh BUILD_DIR [FOLDER [MIRROR]]
# Makes the Debian packages and the wheel, a bare Debian 12 in FOLDER (debootstrap, variant minbase; kept if it is given,
# and used again if it is there), installs cosweep there with apt, then, in a virtual environment, the wheel with
# python-control, and python3-cosweep with apt; runs the example of docs/python.md with control and compares what it prints
# with the page. Wheels of others come from the Python package index by this machine's pip, so that FOLDER needs no way
# there of its own.
set -euo pipefail
build=$(realpath "$1") here=$(cd "$(dirname "$0")/../.." && pwd)
mirror=${3:-http://deb.debian.org/debian}
test "$(id -u)" = 0 || { echo 'bare.sh: needs root, for chroot' >&2; exit 2; }
for tool in debootstrap chroot cpack dpkg-deb; do
  command -v $tool > /dev/null || { echo "skipped: no $tool" >&2; exit 77; }
done
scratch=$(mktemp -d)
root=${2:-$scratch/root}
clean() {
  for folder in dev/pts proc sys; do
    if mountpoint -q "$root/$folder"; then umount "$root/$folder"; fi
  done
  rm -rf --one-file-system "$scratch"
}
trap clean EXIT
quietly() { "$@" > "$scratch/log" 2>&1 || { tail -40 "$scratch/log"; return 1; }; }
inside() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
  chroot "$root" "$@"; }
install() { quietly inside apt-get install -y --no-install-recommends "$@"; }

# ---- what is installed

(cd "$build" && quietly cpack -G DEB -B "$scratch/packages")
/usr/bin/python3 -m venv "$scratch/pip"
quietly "$scratch/pip/bin/pip" wheel --no-deps -w "$scratch/packages" "$here/packaging/python"
quietly "$scratch/pip/bin/pip" download -d "$scratch/packages" "$scratch"/packages/cosweep-*.whl control

# ---- where

if ! test -d "$root/etc"; then
  quietly debootstrap --variant=minbase bookworm "$root" "$mirror"
fi
mkdir -p "$root/root/packages"
cp "$scratch"/packages/*.deb "$scratch"/packages/*.whl "$root/root/packages"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sys "$root/sys"
mount -t devpts devpts "$root/dev/pts"
echo "bare: Debian $(cat "$root/etc/debian_version"), $(inside dpkg-query -f '.\n' -W | wc -l) packages"

# ---- the program, and the wheel beside it

cd "$root"
quietly inside apt-get update
quietly inside apt-get install --simulate ./root/packages/cosweep_*.deb # with what it recommends
install ./root/packages/cosweep_*.deb
inside cosweep --version
inside cosweep devices
install python3-venv
inside python3 -m venv --clear /root/venv
quietly inside /root/venv/bin/pip install --no-index --find-links /root/packages cosweep control
inside /root/venv/bin/pip list --disable-pip-version-check | grep -E '^(cosweep|control|numpy|xarray|h5netcdf|h5py) '
page=$here/docs/python.md
# The block of Python that begins with control, and the table after it.
block() { awk -v language="$1" '/^import control/ { seen = language == "text" ? 1 : 2 }
  /^```/ { if (seen == 2) exit; seen += seen == 1 && $0 == "```text"; next } seen == 2' "$page"; }
block python > root/example.py
block text > "$scratch/want"
test -s root/example.py && test -s "$scratch/want"
inside /root/venv/bin/python /root/example.py | tee "$scratch/got"
diff "$scratch/want" "$scratch/got"

# ---- Debian's own Python

install ./root/packages/python3-cosweep_*.deb python3-scipy python3-matplotlib # which control needs
inside python3 -m venv --system-site-packages --clear /root/venv
quietly inside /root/venv/bin/pip install --no-index --no-deps --find-links /root/packages control
inside /root/venv/bin/python -c 'import cosweep, numpy; print(cosweep.__file__, numpy.__version__)'
inside /root/venv/bin/python /root/example.py > "$scratch/got"
diff "$scratch/want" "$scratch/got"
inside python3 -c 'import numpy; numpy.savez("/root/pair.npz", A=[[-2.0]], B=[[1.0]], C=[[1.0]], x0=[1.0])'
inside cosweep import /root/pair.npz --force -o /root/pair.json
quietly inside apt-get remove -y python3-cosweep
test ! -e usr/lib/python3/dist-packages/cosweep || { echo 'bare.sh: removing python3-cosweep leaves files' >&2; exit 1; }
echo 'bare.sh: all as docs/python.md says'
