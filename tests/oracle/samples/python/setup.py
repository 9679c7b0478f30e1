# SPDX-License-Identifier: MIT
from setuptools import Extension, setup

setup(name="sample", version="1.0", packages=["sample"],
      ext_modules=[Extension("sample._count", ["sample/_count.c"])])
