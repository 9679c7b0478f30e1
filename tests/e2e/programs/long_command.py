# SPDX-License-Identifier: MIT
"""C11: runs a command whose arguments fill the room there is, less 32 KiB."""
import os
import resource
import subprocess

stack = resource.getrlimit(resource.RLIMIT_STACK)[0]
limit = min(stack // 4, 6 << 20) if stack > 0 else 6 << 20
used = sum(len(name) + len(value) + 10 for name, value in os.environ.items())
count = (limit - used - 32768) // 1009
print(subprocess.run(["/bin/true"] + ["z" * 1000] * count, check=False).returncode)
