# Tells loci what this Python can do, as one line of JSON. It must not fail on
# a Python that is too old, 2.7 included.
import sys

found = {"version": list(sys.version_info[:2]), "path": sys.executable}
if sys.version_info >= (3, 10):
    import importlib.util
    import os
    import platform
    import sysconfig

    found["name"] = sys.implementation.name
    found["machine"] = platform.machine()
    found["abi3"] = not sysconfig.get_config_var("Py_GIL_DISABLED")
    found["pip"] = importlib.util.find_spec("pip") is not None
    try:
        found["libc"] = os.confstr("CS_GNU_LIBC_VERSION")
    except (AttributeError, OSError, ValueError):
        pass
    try:
        import ctypes

        ctypes.CDLL("libgomp.so.1")
        found["openmp"] = True
    except (ImportError, OSError):
        pass
import json

print(json.dumps(found))
