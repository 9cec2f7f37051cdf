# Compiles one unit with pyclspv. The last line of the output is the result in JSON, with the CPU time in milliseconds.
import json, re, resource, sys


def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


import pyclspv

source = open(sys.argv[1], errors="replace").read()
defines, options = "", sys.argv[2:]
while options:
    option = options.pop(0)
    if option == "-D" and options:
        option += options.pop(0)
    if option.startswith("-D"):
        name, equals, value = option[2:].partition("=")
        defines += f"#define {name} {value if equals else 1}\n"
start = cpu()
try:
    result = {"bytes": len(pyclspv.compile(defines + source))}
except Exception as e:
    result = {"error": str(e)}
result["ms"] = (cpu() - start) * 1000
print(json.dumps(result))
