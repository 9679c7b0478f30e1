# SPDX-License-Identifier: MIT
"""F22: makes and reads files whose names are any bytes."""
for name in (b"a\nb", b"\xff\xfe.c", b"tab\there", b"q'\"<&>]]>", b"\x1b[31m", b" lead", b"-rf",
             b"\xe2\x80\xae.txt"):
    with open(name, "wb") as made:
        made.write(b"x")
    with open(name, "rb") as made:
        made.read()
