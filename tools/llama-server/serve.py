"""Serves a model with llama.cpp's own HTTP server: serve.py MODEL WINDOW PORT."""

import sys
import time

import xllamacpp

model, window, port = sys.argv[1:]
params = xllamacpp.CommonParams()
params.model.path = model
params.n_ctx = int(window)
params.hostnames = ["127.0.0.1"]
params.port = int(port)
# Slots divide the window among themselves.
params.n_parallel = 1
params.warmup = False
params.use_jinja = True
server = xllamacpp.Server(params)
print("listening", server.listening_address, flush=True)
while True:
    time.sleep(3600)
