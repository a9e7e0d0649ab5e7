#!/bin/sh
# Re-fits the tables of the weighted estimator: ./tools/estimator-fit/run.sh [OUT]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-"$here/../../target/estimator-corpus"}
mkdir -p "$out"
export PYTHONDONTWRITEBYTECODE=1 PYTHONHASHSEED=0

python="$out/venv/bin/python"
[ -x "$python" ] || python3 -m venv "$out/venv"
"$python" "$here/packages.py" | "$python" -m pip install --quiet --requirement /dev/stdin
"$python" "$here/fetch.py" "$out"
"$python" "$here/corpus.py" "$out"
if [ -f "$here/fit.py" ]; then
    "$python" "$here/fit.py" "$out"
fi
