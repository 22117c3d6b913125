# loci: llama.cpp's server for the embedded model. The first line of standard
# input says what to run; the server ends when standard input closes, which the
# operating system does even when loci is killed.
import json
import os
import sys

spec = json.loads(sys.stdin.readline())
sys.path.insert(0, spec["module"])
import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = spec["model"]
params.model_alias = {spec["alias"]}
params.hostnames = ["127.0.0.1"]
params.api_keys = [spec["key"]]
if spec["embedding"]:
    params.embedding = True
    params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
if spec["threads"]:
    params.cpuparams.n_threads = spec["threads"]
for name, value in spec["params"].items():
    setattr(params, name, value)

server = xllamacpp.Server(params)
sys.stdin.read()
os._exit(0)
