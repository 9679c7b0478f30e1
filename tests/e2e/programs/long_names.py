# SPDX-License-Identifier: MIT
"""G1: sixteen processes, each opens 100 different names of about 3,900 bytes."""
import os
import subprocess
import sys

folder = "deep/" + "/".join(["y" * 240] * 15)
os.makedirs(folder, exist_ok=True)
body = f"""
import os
for i in range(100):
    try:
        os.open({folder!r} + '/' + 'n' * 200 + '-%d-%d-' % (os.getpid(), i), os.O_RDONLY)
    except OSError:
        pass
"""
running = [subprocess.Popen([sys.executable, "-S", "-c", body]) for _ in range(16)]
sys.exit(sum(process.wait() for process in running))
