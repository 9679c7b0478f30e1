# SPDX-License-Identifier: MIT
"""F7: works in a folder whose name has 8,000 bytes."""
import os

start = os.getcwd()
for _ in range(40):
    os.mkdir("x" * 200)
    os.chdir("x" * 200)
with open("leaf", "w") as leaf:
    leaf.write("1")
with open("leaf") as leaf:
    leaf.read()
os.stat(".")
os.listdir(".")
os.unlink("leaf")
for _ in range(40):
    os.chdir("..")
    os.rmdir("x" * 200)
print("ok", os.getcwd() == start)
